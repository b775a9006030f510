package dev.msgrelay.server.subscribe;

import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.StartFrom;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.connection.Services;
import dev.msgrelay.server.connection.Session;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.figures.Counters;
import dev.msgrelay.server.net.SegmentSize;
import dev.msgrelay.server.stream.LogReader;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.PacketLog;
import dev.msgrelay.server.stream.StreamHead;
import dev.msgrelay.server.stream.WindowGate;
import dev.msgrelay.server.tls.TlsHandler;
import dev.msgrelay.server.tls.TlsRecords;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.nio.ByteBuffer;
import java.util.function.IntUnaryOperator;

/**
 * The stream on its way to one subscriber: from where its reader stands, in the log or in the journal, to its socket.
 *
 * <pre>
 *   next:  too far behind? --> too slow | gap | to the journal
 *          the rate is used up? --> wait
 *          behind what the log has: CatchUp --> a page | the log | gap | wait
 *          Feed --> one write --> count; the policy hears where the reader stands
 * </pre>
 *
 * <p>Owned by the subscriber's thread; counts and {@link #catchUp} may be asked for by any.
 */
final class Delivery implements Feed.Sent {
    private final PacketLog log;
    final CatchUp catchUp;
    private final SlowReader slowness;
    private final Counters counters;
    private final Seat seat;
    final LogReader reader;
    private final SocketWriter writer;
    // Null: the connection is a plain one.
    private final TlsHandler tls;
    private final SegmentSize segment;
    private Feed feed;
    private Gap gap;
    private long progressMark;
    // The end of the stream for a subscriber that gets durable messages only; otherwise null.
    private StreamHead durable;
    private Mark durableEnd;

    private volatile long messages;
    private volatile long bytes;

    /** @param seat has the buffers of the loop that sends at the time */
    Delivery(FanoutParts shared, Services services, Session session, SlowReader slowness, Seat seat) {
        Channel channel = session.channel();
        this.log = shared.log();
        this.reader = new LogReader(log);
        this.catchUp = new CatchUp(shared, services, session.rights(), slowness, reader);
        this.slowness = slowness;
        this.counters = services.counters();
        this.seat = seat;
        this.writer = new SocketWriter(channel);
        this.tls = TlsHandler.of(channel);
        this.segment = new SegmentSize(channel, tls == null ? IntUnaryOperator.identity() : TlsRecords::plainOfSegment);
        this.feed = new WholeFeed(reader, writer, segment, this);
    }

    Mark end(Mark head) {
        if (durable == null) {
            return head;
        }
        durable.read(durableEnd);
        return durableEnd;
    }

    // ---- which messages, and from where on ---------------------------------------------------------------------

    /** Ends the stream, from here on, where its messages are durable. */
    void durableOnly(StreamHead end) {
        durable = end;
        durableEnd = new Mark();
    }

    /** Sends these types from here on; see {@link FilteredFeed#choose}. */
    void choose(TypeRanges chosen, boolean sequences) {
        if (chosen.isAll() != feed instanceof WholeFeed) {
            feed.release();
            feed = chosen.isAll()
                    ? new WholeFeed(reader, writer, segment, this)
                    : new FilteredFeed(reader, writer, seat::buffers, this);
        }
        if (feed instanceof FilteredFeed filtered) {
            filtered.choose(chosen, sequences);
        }
    }

    /** Goes to where the stream starts: as {@link CatchUp#stand}, for every start. */
    CatchUp.Place stand(Start start, Mark head) {
        if (start.from() == StartFrom.LIVE) {
            standAtTheEnd(head);
            return CatchUp.Place.FOUND;
        }
        CatchUp.Place place = catchUp.stand(start, head);
        switch (place) {
            case FOUND -> feed.jumped();
            case BEHIND_A_GAP -> jumpOver(catchUp.gap());
            case IN_JOURNAL, WAIT -> {}
        }
        return place;
    }

    private void standAtTheEnd(Mark head) {
        slowness.join();
        log.head().read(head);
        reader.moveTo(end(head));
        if (durable != null) {
            // The stream ends earlier for the subscriber, and the writer may have seen where it stood before.
            slowness.movedBack();
        }
        feed.jumped();
    }

    // ---- sending -----------------------------------------------------------------------------------------------

    boolean busy() {
        return writer.busy();
    }

    /** Returns whether it is too late to wait for the write in flight. */
    boolean tooLate(Mark end) {
        return catchUp.isLive()
                && (reader.overtaken() || slowness.lags(end.position() - reader.position()))
                && slowness.overtaken() == SlowReader.Overtaken.CUT;
    }

    /** The answer of a stream that was asked for its next write. */
    enum Outcome {
        /** Nothing for now: there is nothing to send, no memory, or the socket has not taken all of the write. */
        WAIT,
        /** The step is done: the next one may follow at once. */
        AGAIN,
        /** Messages are missing, and the reader stands behind them: {@link Delivery#gap} names them. */
        GAP,
        /** The subscriber is cut off: {@link SlowReader#tooSlow} says why. */
        CUT,
        /** The stream goes on in the journal, on the loop that may wait for the disk. */
        JOURNAL,
        /** The stream goes on in the log, on a loop that does not wait for the disk. */
        LOG;

        private static Outcome of(boolean taken) {
            return taken ? AGAIN : WAIT;
        }
    }

    /** Sends what comes next. Only while nothing is in flight; see {@link Feed#next}. */
    Outcome next(Mark end, int stride, int least, boolean everything) {
        long behind = end.position() - reader.position();
        boolean live = catchUp.isLive();
        if (live && slowness.lags(behind)) {
            return overtaken(end);
        }
        if (slowness.pauseIfSpent(behind)) {
            return pause();
        }
        if (live || !reader.atBoundary()) {
            return send(end, behind, stride, least, everything);
        }
        return switch (catchUp.next(behind)) {
            case AGAIN -> send(end, behind, stride, least, everything);
            case GAP -> {
                jumpOver(catchUp.gap());
                yield Outcome.GAP;
            }
            case JOURNAL -> Outcome.JOURNAL;
            case LOG -> Outcome.LOG;
            case WAIT -> Outcome.WAIT;
        };
    }

    private Outcome send(Mark end, long behind, int stride, int least, boolean everything) {
        if (behind <= 0) {
            // Negative for a durable-only subscriber whose start is not durable yet.
            return Outcome.WAIT;
        }
        boolean onPage = reader.onPage();
        Mark upTo = onPage && reader.pageEnd().position() < end.position() ? reader.pageEnd() : end;
        return switch (feed.next(upTo, stride, least, everything || onPage)) {
            case WAIT -> Outcome.WAIT;
            case SENT, MOVED -> {
                feed.written();
                yield Outcome.AGAIN;
            }
            case OVERTAKEN -> overtaken(end);
        };
    }

    /** The identity has had its share for now. Others get the page meanwhile, once a frame that has begun has gone out. */
    private Outcome pause() {
        if (catchUp.waitedForSince() != WindowGate.NEVER) {
            if (!reader.atBoundary()) {
                return Outcome.of(finish());
            }
            catchUp.pause();
        }
        return Outcome.WAIT;
    }

    /** A live subscriber's policy decides; one that catches up goes back to the journal. */
    private Outcome overtaken(Mark end) {
        SlowReader.Overtaken rule = catchUp.isLive() ? slowness.overtaken() : SlowReader.Overtaken.JOURNAL;
        if (rule == SlowReader.Overtaken.CUT) {
            return Outcome.CUT;
        }
        if (!reader.atBoundary()) {
            // The last write ended within a frame. The rest of that is still held, and goes first.
            return Outcome.of(finish());
        }
        if (rule == SlowReader.Overtaken.JOURNAL) {
            return Outcome.JOURNAL;
        }
        long lost = reader.boundary().sequence();
        reader.skipTo(Math.max(log.tail(), end.position() - SendGroup.WRITE_BYTES), end);
        jumpOver(new Gap(lost, reader.boundary().sequence() - 1, GapReason.SLOW));
        return Outcome.GAP;
    }

    private void jumpOver(Gap missing) {
        feed.jumped();
        gap = missing;
    }

    Gap gap() {
        return gap;
    }

    /** Sends the rest of a frame that has begun; returns whether the socket has taken all of it. */
    boolean finish() {
        boolean taken = feed.finish();
        if (taken) {
            feed.written();
        }
        return taken;
    }

    /**
     * Sends bytes beside the stream, between two frames.
     *
     * @param next whether they tell the next message's number
     * @return whether the socket has taken all of them
     */
    boolean say(ByteBuffer said, boolean next) {
        if (next) {
            feed.told(reader.boundary().sequence());
        }
        writer.add(Unpooled.wrappedBuffer(said));
        if (!writer.end()) {
            return false;
        }
        // Nothing of the stream; but the reader may stand elsewhere now, for which publishers wait.
        count(0, 0);
        return true;
    }

    /** Ends the write in flight if the socket, which may have room, has taken all of it by now. */
    void endWrite() {
        if (writer.endIfTaken()) {
            feed.written();
        }
    }

    /** Counts what the socket has taken, and tells the policy where the reader stands now. */
    @Override
    public void count(long moreMessages, long moreBytes) {
        counters.add(Counter.MESSAGES_OUT, moreMessages);
        counters.add(Counter.BYTES_OUT, moreBytes);
        if (!catchUp.isLive()) {
            counters.add(Counter.JOURNAL_REPLAY_BYTES, moreBytes);
        }
        slowness.reached(reader.position(), moreBytes);
        messages = messages + moreMessages;
        bytes = bytes + moreBytes;
    }

    // ---- time --------------------------------------------------------------------------------------------------

    /** Returns since when somebody waits for subscribers like this one; {@link WindowGate#NEVER}: nobody does. */
    private long waitedForSince() {
        return slowness.joined() ? slowness.holdsBackSince() : catchUp.waitedForSince();
    }

    boolean isWaitedFor() {
        return waitedForSince() != WindowGate.NEVER;
    }

    /** Notes how far the socket is; returns whether it has taken anything of a write in flight since the last call. */
    boolean noteProgress(long nowNanos) {
        // With TLS the write in flight is a buffer of records, not all that was written.
        long before = tls == null ? 0 : tls.takenBefore();
        long mark = reader.position() + before + writer.progress();
        boolean moved = mark != progressMark;
        progressMark = mark;
        if (moved || !busy()) {
            slowness.progress(nowNanos);
        }
        return moved && busy();
    }

    /** Returns whether somebody has waited too long for the subscriber to move on. */
    boolean stalls(long nowNanos) {
        long since = waitedForSince();
        if (since == WindowGate.NEVER) {
            slowness.progress(nowNanos);
        }
        return since != WindowGate.NEVER && slowness.stalls(since, nowNanos);
    }

    // ---- counts, and the end -----------------------------------------------------------------------------------

    /** Returns the messages so far: exact between two frames, otherwise some less. Any thread. */
    long messages() {
        return messages;
    }

    long bytes() {
        return bytes;
    }

    void release() {
        feed.release();
        reader.release();
        catchUp.end();
    }
}
