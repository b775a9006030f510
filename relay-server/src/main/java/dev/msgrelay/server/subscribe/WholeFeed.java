package dev.msgrelay.server.subscribe;

import dev.msgrelay.server.net.SegmentSize;
import dev.msgrelay.server.stream.LogReader;
import dev.msgrelay.server.stream.Mark;

/** Writes the whole stream from the log's own memory, in whole segments if there are enough bytes. */
final class WholeFeed implements Feed {
    private static final int CUT_WRITES_PER_LOOK = 16;

    private final LogReader reader;
    private final SocketWriter writer;
    private final SegmentSize segment;
    private final Delivery delivery;
    private int inFlight;
    private int cutWrites;
    private long sequence;

    WholeFeed(LogReader reader, SocketWriter writer, SegmentSize segment, Delivery delivery) {
        this.reader = reader;
        this.writer = writer;
        this.segment = segment;
        this.delivery = delivery;
        this.sequence = reader.sequence();
    }

    @Override
    public Outcome next(Mark head, int least, boolean everything) {
        long available = head.position() - reader.position();
        if (available == 0) {
            return Outcome.WAIT;
        }
        // A write has whole segments, or all available bytes if they are less than one segment.
        int amount = available < segment.bytes()
                ? (int) available
                : segment.wholeUpTo((int) Math.min(available, SendGroup.WRITE_BYTES));
        if (!everything && amount < segment.wholeUpTo(least)) {
            return Outcome.WAIT;
        }
        if (!reader.pinNext(amount, head)) {
            return Outcome.OVERTAKEN;
        }
        return issue(amount) ? Outcome.SENT : Outcome.WAIT;
    }

    @Override
    public boolean finish() {
        return issue(reader.restToBoundary());
    }

    private boolean issue(int amount) {
        inFlight = amount;
        writer.addLog(reader, reader.position(), amount);
        return writer.flush();
    }

    @Override
    public void written() {
        segment.countTransfer();
        reader.advance(inFlight);
        long messages = 0;
        // Between two frames the next message's number is known. Within a frame it is searched for, but only rarely.
        if (reader.atBoundary() || ++cutWrites >= CUT_WRITES_PER_LOOK) {
            cutWrites = 0;
            long now = reader.sequence();
            if (now > sequence) {
                messages = now - sequence;
                sequence = now;
            }
        }
        delivery.count(messages, inFlight);
        inFlight = 0;
    }

    @Override
    public void jumped() {
        sequence = reader.sequence();
    }
}
