package dev.msgrelay.server.subscribe;

import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.StartFrom;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.access.Refusal;
import dev.msgrelay.server.connection.Services;
import dev.msgrelay.server.connection.Session;
import dev.msgrelay.server.connection.SessionRole;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.net.SegmentSize;
import dev.msgrelay.server.state.StateDesk;
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
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntUnaryOperator;

/**
 * The stream on its way to one subscriber: from the reader's position, in the log or in the journal, to the socket.
 *
 * <pre>
 *   next:  lags too much? --> cut off | gap | to the journal | the state, and then the head
 *          the rate is used up? --> wait
 *          the log has dropped the next message? CatchUp --> a page | the log | gap | wait
 *          Feed --> one write --> count; SlowReader gets the reader's position
 * </pre>
 *
 * <p>Owned by the subscriber's thread, except where a method says otherwise.
 */
final class Delivery {
    private final PacketLog log;
    private final CatchUp catchUp;
    private final SlowReader slowness;
    private final LongAdder messagesOut;
    private final LongAdder bytesOut;
    private final LongAdder replayBytes;
    private final LogReader reader;
    private final SocketWriter writer;
    // Null without TLS.
    private final TlsHandler tls;
    private final SegmentSize segment;
    private final FanoutParts shared;
    private final Session session;
    private final Services services;
    private Feed feed;
    // Null while the subscriber does not get the state.
    private volatile StateFeed state;
    // Whether the subscriber gets the state because it was too far behind for the stream.
    private boolean conflates;
    // Whether the subscriber has just got the state, up to where its reader is, and does not know it yet.
    private boolean completes;
    private FilterBuffers buffers;
    private TypeRanges types = TypeRanges.ALL;
    private volatile boolean started;
    private CatchUp.Gap gap;
    private long progressMark;
    // Whether the subscriber gets messages only when they are durable.
    private boolean durableOnly;
    private StreamHead durable;
    private Mark durableEnd;

    private volatile long messages;
    private volatile long conflated;
    private volatile long bytes;

    Delivery(FanoutParts shared, Services services, Session session, SlowReader slowness) {
        Channel channel = session.channel();
        this.shared = shared;
        this.session = session;
        this.services = services;
        this.log = shared.log();
        this.reader = new LogReader(log);
        this.catchUp = new CatchUp(shared, services, session.rights(), slowness, reader);
        this.slowness = slowness;
        this.messagesOut = services.counters().adder(Counter.MESSAGES_OUT);
        this.bytesOut = services.counters().adder(Counter.BYTES_OUT);
        this.replayBytes = services.counters().adder(Counter.JOURNAL_REPLAY_BYTES);
        this.writer = new SocketWriter(channel);
        this.tls = TlsHandler.of(channel);
        this.segment = new SegmentSize(channel, tls == null ? IntUnaryOperator.identity() : TlsRecords::plainOfSegment);
        this.feed = new WholeFeed(reader, writer, segment, this);
    }

    /** Starts the stream at the log's head. */
    void start() {
        reader.moveTo(log.head().mark());
        feed.jumped();
        started = true;
        slowness.joinGate();
    }

    boolean isStarted() {
        return started;
    }

    void buffers(FilterBuffers ofTheLoop) {
        buffers = ofTheLoop;
    }

    Mark streamEnd(Mark head) {
        if (!durableOnly) {
            return head;
        }
        durable.read(durableEnd);
        return durableEnd;
    }

    /** From now on sends only durable messages, which are those before {@code end}. */
    void durableOnly(StreamHead end) {
        durableOnly = true;
        durable = end;
        durableEnd = new Mark();
    }

    void choose(TypeRanges chosen, boolean sequences) {
        if (chosen.isAll() != feed instanceof WholeFeed) {
            feed.release();
            feed = chosen.isAll()
                    ? new WholeFeed(reader, writer, segment, this)
                    : new FilteredFeed(reader, writer, () -> buffers, this);
        }
        if (feed instanceof FilteredFeed filtered) {
            filtered.choose(chosen, sequences);
        }
        types = chosen;
        if (state != null) {
            state.choose(chosen);
        }
    }

    /** Moves the reader to the start of the stream. Every start but the head is found by {@link CatchUp#seekStart}. */
    CatchUp.Seek seekStart(CatchUp.Start start, Mark head) {
        slowness.heldUp(head.position());
        if (start.from() == StartFrom.LIVE) {
            seekEnd(head);
            return CatchUp.Seek.FOUND;
        }
        if (start.from() == StartFrom.STATE) {
            services.counters().increment(Counter.STATE_JOINS);
            feedState(start.first(), false);
            return CatchUp.Seek.FOUND;
        }
        CatchUp.Seek seek = catchUp.seekStart(start, head);
        if (start.resumes() && slowness.conflates() && seek != CatchUp.Seek.FOUND) {
            // The log does not have the start. The state has what the subscriber needs, so the journal is not read.
            catchUp.readNoJournal();
            conflate(start.first());
            return CatchUp.Seek.FOUND;
        }
        switch (seek) {
            case FOUND -> feed.jumped();
            case AFTER_A_GAP -> jumpOver(catchUp.gap());
            case IN_JOURNAL, WAIT -> {}
        }
        return seek;
    }

    /** From now on the subscriber gets the state: it is too far behind for the stream, or has an interval. */
    private void conflate(long first) {
        boolean tooLate = !slowness.ticks();
        if (tooLate) {
            services.counters().increment(Counter.STATE_CONFLATIONS);
        }
        feedState(first, tooLate);
    }

    /**
     * From now on the subscriber gets the state, from number {@code first} on.
     *
     * @param tooLate whether it gets that because it is too far behind for the stream
     */
    private void feedState(long first, boolean tooLate) {
        conflates = tooLate;
        // A search for the start may have pinned the log, which the state needs nothing of.
        reader.release();
        StateDesk desk = shared.state().orElseThrow();
        state = new StateFeed(desk, services, session, writer, slowness, first);
        state.choose(types);
    }

    private void seekEnd(Mark head) {
        slowness.joinGate();
        log.head().read(head);
        reader.moveTo(streamEnd(head));
        if (durableOnly) {
            // The durable end may be before the reader's former position, which the gate may have cached.
            slowness.movedBack();
        }
        feed.jumped();
    }

    Optional<Refusal> toJournal() {
        return catchUp.toJournal();
    }

    /** Returns whether the subscriber has not caught up yet. Any thread. */
    boolean replays() {
        return !catchUp.isLive();
    }

    boolean atBoundary() {
        return reader.atBoundary();
    }

    /** Returns whether the subscriber gets the state, and not the stream yet. Any thread. */
    boolean getsState() {
        return state != null;
    }

    /** Returns whether the subscriber is at a place of the stream: it is not on its way through the state. */
    boolean hasPlace() {
        return state == null || completes;
    }

    /** Returns whether the client knows the number of the next message, as {@link Feed#isCounted}. */
    boolean isCounted() {
        return feed.isCounted(nextSequence());
    }

    /** Returns the state on its way to the subscriber. Requires {@link #getsState}. */
    StateFeed state() {
        return state;
    }

    long nextSequence() {
        return state != null ? state.next() : reader.boundary().sequence();
    }

    /** Returns the position before which everything is sent; {@link Long#MAX_VALUE} before the start. Any thread. */
    long position() {
        return started ? reader.position() : Long.MAX_VALUE;
    }

    /** Any thread. */
    long pinnedFrom() {
        return reader.pinnedFrom();
    }

    boolean busy() {
        return writer.busy();
    }

    /** Returns the newest sequence that the subscriber is told now. */
    long newest(Mark head) {
        // The end of the state is told as the stream's end, which it was, though more has come since.
        return completes ? nextSequence() - 1 : streamEnd(head).sequence() - 1;
    }

    /** Returns whether the subscriber is live, and lags so much that it is cut off although a write is in flight. */
    boolean tooLate(Mark end) {
        return catchUp.isLive()
                && state == null
                && (reader.overtaken() || slowness.lags(reader.position(), end.position()))
                && slowness.overtaken() == SlowReader.Overtaken.CUT;
    }

    /** The result of {@link Delivery#next}. */
    enum Outcome {
        /** No more can be sent now: there are no bytes, no memory, or the socket has not taken all of the write. */
        WAIT,
        /** The socket has taken the write, or unwanted messages were passed: the caller may ask again at once. */
        AGAIN,
        /** Messages are missing, see {@link Delivery#gap}; the reader has passed them. */
        GAP,
        /** The subscriber is cut off for the reason that {@link SlowReader#tooSlow} returns. */
        CUT,
        /** The subscriber has got the state. It has to be told so, before the stream goes on. */
        STATE,
        /** The subscriber is too far behind, and gets the state from its place on instead of the stream. */
        CONFLATE,
        /** The subscriber gets nothing until the next tick of its interval, see {@link StateFeed#restsUntil}. */
        REST,
        /** The stream goes on in the journal, on the loop that may wait for the disk. */
        JOURNAL,
        /** The stream goes on in the log, on a loop that does not wait for the disk. */
        LOG;

        private static Outcome of(boolean taken) {
            return taken ? AGAIN : WAIT;
        }
    }

    /** Notes that the socket has not taken all of a write, and the stream's end at this time. */
    void isBusy(Mark end) {
        slowness.heldUp(end.position());
    }

    /** Sends the next write. Called only while nothing is in flight. For the parameters see {@link Feed#next}. */
    Outcome next(Mark end, int least, boolean everything) {
        Outcome outcome = state != null ? nextOfState(end) : nextOfStream(end, least, everything);
        if (busy()) {
            isBusy(end);
        }
        return outcome;
    }

    private Outcome nextOfStream(Mark end, int least, boolean everything) {
        long lag = end.position() - reader.position();
        boolean live = catchUp.isLive();
        if (live ? slowness.lags(reader.position(), end.position()) : slowness.conflates()) {
            return overtaken(end);
        }
        if (slowness.pauseIfSpent(lag)) {
            slowness.heldUp(end.position());
            return pause();
        }
        if (live || !reader.atBoundary()) {
            return send(end, lag, least, everything);
        }
        return switch (catchUp.next(lag)) {
            case HERE -> send(end, lag, least, everything);
            case GAP -> {
                jumpOver(catchUp.gap());
                yield Outcome.GAP;
            }
            case JOURNAL -> Outcome.JOURNAL;
            case LOG -> Outcome.LOG;
            case WAIT -> Outcome.WAIT;
        };
    }

    private Outcome nextOfState(Mark end) {
        if (state.isResting()) {
            boolean nothingNew = end.sequence() <= state.next();
            if (!state.restsOn(nothingNew, services.clock().nanoTime())) {
                return Outcome.AGAIN;
            }
            // Other types are chosen only where the subscriber is told that it has all there is.
            completes = nothingNew && session.dialogue().answers() > 0;
            return completes ? Outcome.STATE : Outcome.REST;
        }
        if (state.hasArrived()) {
            return slowness.ticks() ? arriveToRest() : arrive();
        }
        // Only before a question, so that a subscriber that pauses keeps no batch. Any lag but 0 will do: the rate
        // counts from the first message of the state on.
        if (state.isIdle() && slowness.pauseIfSpent(1)) {
            return Outcome.WAIT;
        }
        return switch (state.send()) {
            case SENT -> {
                batchWritten();
                yield Outcome.AGAIN;
            }
            case MOVED -> Outcome.AGAIN;
            default -> Outcome.WAIT;
        };
    }

    private void batchWritten() {
        state.written();
        if (conflates) {
            services.counters().add(Counter.STATE_CONFLATED, state.superseded());
            conflated = conflated + state.superseded();
        }
        count(state.messages(), state.bytes());
    }

    /** Goes on with the stream where the state has ended; with the state if the log has dropped that place already. */
    private Outcome arrive() {
        slowness.joinGate();
        reader.moveTo(state.head());
        slowness.movedBack();
        if (reader.overtaken() || slowness.lags(reader.position(), log.head().position())) {
            slowness.leaveGate();
            if (!slowness.conflates()) {
                state.goOn();
                return Outcome.AGAIN;
            }
            // It may always be this far behind, but then it is told of each place at which its state was complete.
            services.counters().increment(Counter.STATE_CONFLATIONS);
            completes = true;
            conflates = true;
            state.beginAgain(services.clock().nanoTime());
            return Outcome.STATE;
        }
        state.release();
        state = null;
        completes = true;
        feed.jumped();
        return Outcome.STATE;
    }

    private Outcome arriveToRest() {
        services.counters()
                .add(Counter.STATE_TICKS_MISSED, state.rest(services.clock().nanoTime()));
        completes = true;
        return Outcome.STATE;
    }

    private Outcome send(Mark end, long lag, int least, boolean everything) {
        if (lag <= 0) {
            // The lag is negative while the start of the stream is after the durable end.
            return Outcome.WAIT;
        }
        boolean onPage = reader.onPage();
        Mark upTo = onPage && reader.pageEnd().position() < end.position() ? reader.pageEnd() : end;
        return switch (feed.next(upTo, least, everything || onPage)) {
            case WAIT -> Outcome.WAIT;
            case SENT, MOVED -> {
                feed.written();
                yield Outcome.AGAIN;
            }
            case OVERTAKEN -> overtaken(end);
        };
    }

    /** If other subscribers wait for the page, sends the rest of a begun frame and then gives the page back. */
    private Outcome pause() {
        if (catchUp.waitedForSince() != WindowGate.NEVER) {
            if (!reader.atBoundary()) {
                return Outcome.of(finish());
            }
            catchUp.pause();
        }
        return Outcome.WAIT;
    }

    /** Applies the policy to a live subscriber. A subscriber that has not caught up yet returns to the journal. */
    private Outcome overtaken(Mark end) {
        boolean judged = catchUp.isLive() || slowness.conflates();
        SlowReader.Overtaken rule = judged ? slowness.overtaken() : SlowReader.Overtaken.JOURNAL;
        if (rule == SlowReader.Overtaken.CUT) {
            return Outcome.CUT;
        }
        if (!reader.atBoundary()) {
            // The last write ended within a frame. The rest of the frame is pinned, and is sent first.
            return Outcome.of(finish());
        }
        if (rule == SlowReader.Overtaken.JOURNAL) {
            return Outcome.JOURNAL;
        }
        long lost = reader.boundary().sequence();
        if (rule == SlowReader.Overtaken.CONFLATE) {
            if (catchUp.leaveJournal()) {
                return Outcome.LOG;
            }
            catchUp.becomeLive();
            slowness.leaveGate();
            conflate(lost);
            state.begin(services.clock().nanoTime());
            return Outcome.CONFLATE;
        }
        reader.skipTo(Math.max(log.tail(), end.position() - SendGroup.WRITE_BYTES), end);
        jumpOver(new CatchUp.Gap(lost, reader.boundary().sequence() - 1, GapReason.SLOW));
        return Outcome.GAP;
    }

    private void jumpOver(CatchUp.Gap missing) {
        feed.jumped();
        gap = missing;
    }

    CatchUp.Gap gap() {
        return gap;
    }

    /** Sends the rest of a begun frame; returns whether the socket has taken all of it. */
    boolean finish() {
        boolean taken = feed.finish();
        if (taken) {
            feed.written();
        }
        return taken;
    }

    /**
     * Sends control frames, between two frames of the stream.
     *
     * @param next whether the frames tell the client the number of the next message
     * @return whether the socket has taken all of them
     */
    boolean say(ByteBuffer said, boolean next) {
        if (next) {
            feed.clientCountsFrom(reader.boundary().sequence());
        }
        completes = false;
        writer.add(Unpooled.wrappedBuffer(said));
        if (!writer.flush()) {
            return false;
        }
        // No message was sent, but the reader may have jumped, and publishers may wait for its new position.
        count(0, 0);
        return true;
    }

    /** Finishes the write in flight if the socket has taken all of it by now. */
    void finishWrite() {
        if (writer.finishIfTaken()) {
            if (state != null && state.isWriting()) {
                batchWritten();
            } else {
                feed.written();
            }
        }
    }

    /** Counts messages that the socket has taken, and passes the reader's position to the policy. */
    void count(long moreMessages, long moreBytes) {
        messagesOut.add(moreMessages);
        bytesOut.add(moreBytes);
        if (!catchUp.isLive()) {
            replayBytes.add(moreBytes);
        }
        slowness.reached(reader.position(), moreBytes);
        messages = messages + moreMessages;
        bytes = bytes + moreBytes;
    }

    /** Returns since when publishers or subscribers have waited for this subscriber; or {@link WindowGate#NEVER}. */
    private long waitedForSince() {
        if (state != null) {
            return state.waitedForSince();
        }
        return slowness.inGate() ? slowness.holdsBackSince() : catchUp.waitedForSince();
    }

    boolean isWaitedFor() {
        return waitedForSince() != WindowGate.NEVER;
    }

    /**
     * Notes the progress of the socket; returns whether it has taken bytes of a write in flight since the last call.
     */
    boolean noteProgress(long nowNanos) {
        // With TLS the writer's progress is only that in the last buffer of records. Earlier buffers are added.
        long before = tls == null ? 0 : tls.takenBefore();
        long mark = reader.position() + (state == null ? 0 : bytes) + before + writer.progress();
        boolean moved = mark != progressMark;
        progressMark = mark;
        if (moved || !busy()) {
            slowness.progress(nowNanos);
        }
        return moved && busy();
    }

    /**
     * Returns whether the subscriber has made no progress for too long, while publishers or subscribers wait for it.
     */
    boolean stalls(long nowNanos) {
        long since = waitedForSince();
        if (since == WindowGate.NEVER) {
            slowness.progress(nowNanos);
        }
        return since != WindowGate.NEVER && slowness.stalls(since, nowNanos);
    }

    /** Returns the figures of the subscriber. The number of messages is exact only between two frames. Any thread. */
    SessionRole.Report report(String types, long headPosition, long nowNanos) {
        Mark head = log.head().mark();
        StateFeed walk = state;
        // One that gets the state is at no place of the log, and what it was told of is behind it.
        long at = walk != null ? headPosition : Math.min(position(), headPosition);
        long behind = walk == null
                ? catchUp.messagesToHead(at, head)
                : walk.isResting() ? 0 : Math.max(0, head.sequence() - walk.next());
        return new SessionRole.Report(
                walk != null ? "state" : "",
                slowness.policy(),
                slowness.intervalMillis(),
                types,
                at,
                Math.max(0, headPosition - at),
                behind,
                catchUp.percent(at, headPosition),
                catchUp.leftMillis(at, headPosition, nowNanos),
                messages,
                bytes,
                conflated);
    }

    void release() {
        feed.release();
        if (state != null) {
            state.release();
        }
        reader.release();
        catchUp.becomeLive();
    }
}
