package dev.msgrelay.server.fanout;

import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.StartFrom;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.access.Refusal;
import dev.msgrelay.server.access.Standing;
import dev.msgrelay.server.fanout.SlowPolicy.Overtaken;
import dev.msgrelay.server.log.LogReader;
import dev.msgrelay.server.log.Mark;
import dev.msgrelay.server.log.PacketLog;
import dev.msgrelay.server.log.StreamHead;
import dev.msgrelay.server.net.SegmentSize;
import dev.msgrelay.server.ops.Counter;
import dev.msgrelay.server.session.Services;
import dev.msgrelay.server.tls.TlsHandler;
import dev.msgrelay.server.tls.TlsRecords;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.nio.ByteBuffer;
import java.util.function.Supplier;

/**
 * The stream on its way to one subscriber: from where it stands, in the log or in the journal, to its socket.
 *
 * <pre>
 *   next:  too far behind? --> too slow | gap | to the journal
 *          its rate is used up? --> wait
 *          from the journal: Replay --> a page | the log | gap | wait
 *          Feed --> one write --> count; the policy hears where it stands
 * </pre>
 *
 * Owned by the subscriber's thread; counts and {@link #replay} may be asked for by any.
 */
final class Delivery {
    /** What comes next. */
    enum Next {
        /** Nothing just now, or the socket has not taken all of the last write. */
        WAIT,
        /** The socket has taken what there was: it is worth asking again. */
        AGAIN,
        /** What {@link #gap} names, it does not get: it stands behind that. */
        GAP,
        /** The end: {@link Allowance#tooSlow} says why. */
        TOO_SLOW,
        /** What the log has dropped: {@link #toJournal}. */
        JOURNAL,
        /** What the log has: on a loop that does not wait for the disk. */
        HOME
    }

    private final PacketLog log;
    private final SubscriberConnection.Replays replays;
    private final Services services;
    private final Standing standing;
    private final Allowance allowance;
    private final Supplier<FilterBuffers> buffers;
    private final LogReader reader;
    private final SocketWriter writer;
    private final SegmentSize segment;
    private Feed feed;
    private long first;
    private Replay.Gap gap;
    private long progressMark;
    // Of one that gets durable messages only: where its stream ends; otherwise null.
    private StreamHead durable;
    private Mark durableEnd;
    // Until it has caught up; otherwise null.
    private volatile Replay replay;
    // Whether it reads the log again, on its own loop.
    private boolean home;

    private long messagesBefore;
    private long bytesBefore;
    private volatile long messages;
    private volatile long bytes;

    /**
     * All types, from the head on.
     *
     * @param buffers of the loop that it is sent from at the time
     */
    Delivery(
            SubscriberConnection.Shared shared,
            Services services,
            Standing standing,
            Allowance allowance,
            Channel channel,
            Supplier<FilterBuffers> buffers) {
        this.log = shared.log();
        this.replays = shared.replays();
        this.services = services;
        this.standing = standing;
        this.allowance = allowance;
        this.buffers = buffers;
        this.reader = new LogReader(log);
        this.writer = new SocketWriter(channel);
        this.segment = TlsHandler.of(channel) == null
                ? SegmentSize.of(channel)
                : SegmentSize.of(channel, TlsRecords::plainOfSegment);
        this.feed = new WholeFeed(reader, writer, segment);
    }

    /** Where it stands. */
    LogReader reader() {
        return reader;
    }

    /** Where its stream ends. */
    Mark end(Mark head) {
        if (durable == null) {
            return head;
        }
        durable.read(durableEnd);
        return durableEnd;
    }

    // ---- what it gets, and from where on -----------------------------------------------------------------------

    /** From here on it gets messages only that have got so far. */
    void durableOnly(StreamHead end) {
        durable = end;
        durableEnd = new Mark();
    }

    /**
     * These types are sent from here on.
     *
     * @param sequences see {@link FilteredFeed#choose}
     */
    void choose(TypeRanges chosen, boolean sequences) {
        if (chosen.isAll() != feed instanceof WholeFeed) {
            messagesBefore += feed.messages();
            bytesBefore += feed.bytes();
            feed.release();
            feed = chosen.isAll() ? new WholeFeed(reader, writer, segment) : new FilteredFeed(reader, writer, buffers);
        }
        if (feed instanceof FilteredFeed filtered) {
            filtered.choose(chosen, sequences);
        }
    }

    /**
     * Goes to where its stream starts: {@link Next#AGAIN} where it stands there, {@link Next#GAP} where it stands behind messages
     * that are missing there; otherwise why not yet.
     */
    Next stand(Start start, Mark head) {
        GapReason why = GapReason.NOT_HELD;
        if (start.from() == StartFrom.LIVE) {
            allowance.join();
            log.head().read(head);
            reader.leaveFor(end(head));
            if (durable != null) {
                // The stream ends earlier for it, and the writer may have seen where it stood before.
                allowance.policy().movedBack();
            }
            first = reader.boundary().sequence();
        } else if (atJournal()) {
            if (!replay.begin(start, head)) {
                return Next.WAIT;
            }
            first = replay.wanted();
            why = replay.gap().reason();
        } else {
            if (replays != null && !start.isIn(log, replays.journal())) {
                return Next.JOURNAL;
            }
            allowance.join();
            start.seek(reader, log, head, allowance.policy());
            first = start.resumes() ? start.first() : reader.boundary().sequence();
            if (replays != null && reader.boundary().sequence() != first) {
                // The log has dropped it meanwhile.
                return Next.JOURNAL;
            }
        }
        long stands = reader.boundary().sequence();
        feed.jumped();
        gap = new Replay.Gap(first, stands - 1, why);
        return stands > first ? Next.GAP : Next.AGAIN;
    }

    /** The number of the first message of its stream, missing or not. */
    long first() {
        return first;
    }

    // ---- sending -----------------------------------------------------------------------------------------------

    /** Whether a write is in flight. */
    boolean busy() {
        return writer.busy();
    }

    /** Whether it is too late to wait for the write in flight. */
    boolean tooLate(Mark end) {
        return replay == null
                && (reader.overtaken() || allowance.lags(end.position() - reader.position()))
                && allowance.policy().overtaken() == Overtaken.CUT_OFF;
    }

    /** Sends what comes next. Only while nothing is in flight; see {@link Feed#next}. */
    Next next(Mark end, int stride, int least, boolean everything) {
        long behind = end.position() - reader.position();
        if (replay == null && allowance.lags(behind)) {
            return overtaken(end);
        }
        if (allowance.pauses(behind)) {
            return pause();
        }
        if (replay != null && reader.atBoundary()) {
            Next first = home ? catchUp(end, behind) : fromJournal(behind);
            if (first != Next.AGAIN) {
                return first;
            }
        }
        if (behind <= 0) {
            // Also behind the end: durable only, it asked for what is in the stream, and is not durable yet.
            return Next.WAIT;
        }
        Mark page = reader.pageEnd();
        Mark upTo = page != null && page.position() < end.position() ? page : end;
        return switch (feed.next(upTo, stride, least, everything || page != null)) {
            case WAIT -> Next.WAIT;
            case DONE -> moved();
            case OVERTAKEN -> overtaken(end);
        };
    }

    /** Its identity has had its share for now. Others get its page meanwhile, once a frame that has begun has gone out. */
    private Next pause() {
        if (replay != null && replay.isAwaited()) {
            if (!reader.atBoundary()) {
                return finish();
            }
            replay.pause();
        }
        return Next.WAIT;
    }

    /** The log has moved on: the policy speaks, unless it has not caught up yet. */
    private Next overtaken(Mark end) {
        Overtaken then = replay == null ? allowance.policy().overtaken() : Overtaken.REPLAYS;
        if (then == Overtaken.CUT_OFF) {
            return Next.TOO_SLOW;
        }
        if (!reader.atBoundary()) {
            // The last write ended within a frame. Its rest is still held, and goes first.
            return finish();
        }
        if (then == Overtaken.REPLAYS) {
            return Next.JOURNAL;
        }
        long lost = reader.boundary().sequence();
        reader.skipTo(Math.max(log.tail(), end.position() - SendGroup.WRITE_BYTES), end);
        return missed(new Replay.Gap(lost, reader.boundary().sequence() - 1, GapReason.SLOW));
    }

    private Next missed(Replay.Gap what) {
        feed.jumped();
        gap = what;
        return Next.GAP;
    }

    /** The messages that it does not get, and why. */
    Replay.Gap gap() {
        return gap;
    }

    /** Sends the rest up to the next frame boundary. */
    Next finish() {
        return feed.finish() ? moved() : Next.WAIT;
    }

    /** Sends what is to be said between two frames; {@code next}: it knows behind it which number comes next. */
    Next say(ByteBuffer said, boolean next) {
        if (next) {
            feed.told(reader.boundary().sequence());
        }
        writer.begin();
        writer.add(Unpooled.wrappedBuffer(said));
        return writer.end() ? moved() : Next.WAIT;
    }

    /** The socket may have room: looks whether it has taken the write in flight by now. */
    void look() {
        if (writer.finished()) {
            feed.written();
            moved();
        }
    }

    /** The socket has taken something: it is counted, and whoever waits for it hears that. */
    private Next moved() {
        long nowMessages = messagesBefore + feed.messages();
        long nowBytes = bytesBefore + feed.bytes();
        services.counters().add(Counter.MESSAGES_OUT, nowMessages - messages);
        services.counters().add(Counter.BYTES_OUT, nowBytes - bytes);
        if (replay != null) {
            services.counters().add(Counter.JOURNAL_REPLAY_BYTES, nowBytes - bytes);
        }
        allowance.moved(reader.position(), nowBytes - bytes);
        messages = nowMessages;
        bytes = nowBytes;
        return Next.AGAIN;
    }

    // ---- from the journal --------------------------------------------------------------------------------------

    private boolean atJournal() {
        return replay != null && !home;
    }

    /** It goes on in the journal, on the loop that reads there, until it has caught up; or why it may not: otherwise null. */
    Refusal toJournal() {
        allowance.leave();
        home = false;
        Refusal refusal = replay == null ? standing.beginReplay() : null;
        if (replay == null && refusal == null) {
            services.counters().increment(Counter.JOURNAL_REPLAYS_BEGUN);
            replay = new Replay(
                    log,
                    reader,
                    replays.pages(),
                    replays.journal(),
                    services.clock().nanoTime());
        }
        return refusal;
    }

    /** Between two frames, on the loop that reads the journal: from there, or from the log where that has its place. */
    private Next fromJournal(long behind) {
        return switch (replay.next()) {
            case WAIT -> Next.WAIT;
            case GAP -> missed(replay.gap());
            case PAGE -> Next.AGAIN;
            case LOG -> {
                if (!allowance.joined() && !joinAgain()) {
                    yield Next.JOURNAL;
                }
                home = allowance.isNear(behind);
                yield home ? Next.HOME : Next.AGAIN;
            }
        };
    }

    /** From here on its policy may hold the log back. Answers whether it still has its place. */
    private boolean joinAgain() {
        allowance.join();
        allowance.policy().movedBack();
        if (reader.overtaken()) {
            allowance.leave();
        }
        return allowance.joined();
    }

    /** On its own loop, from the log. */
    private Next catchUp(Mark end, long behind) {
        if (reader.overtaken()) {
            return overtaken(end);
        }
        if (behind <= SendGroup.WRITE_BYTES) {
            endReplay();
        }
        return Next.AGAIN;
    }

    private void endReplay() {
        if (replay != null) {
            replay.end();
            replay = null;
            standing.endReplay();
        }
    }

    /** Its way from the journal; null: it has caught up, or has never been behind. Any thread. */
    Replay replay() {
        return replay;
    }

    // ---- time --------------------------------------------------------------------------------------------------

    /** Since when somebody waits because of those who read slowly as it may; {@link SlowPolicy#NEVER}: nobody does. */
    private long waitedForSince() {
        if (allowance.joined()) {
            return allowance.policy().holdsBackSince();
        }
        Replay now = replay;
        return now != null && now.isAwaited() ? replays.pages().waitingSince() : SlowPolicy.NEVER;
    }

    /** Whether somebody waits because of those who read slowly as it may. */
    boolean isWaitedFor() {
        return waitedForSince() != SlowPolicy.NEVER;
    }

    /**
     * Whether the socket has taken anything of a write that is still in flight since this was asked last.
     *
     * @param before bytes that it has taken of what was written before that
     */
    boolean movesOn(long before, long nowNanos) {
        long mark = reader.position() + before + writer.progress();
        boolean moved = mark != progressMark;
        progressMark = mark;
        if (moved || !busy()) {
            allowance.progress(nowNanos);
        }
        return moved && busy();
    }

    /** Whether somebody has waited too long for it to move on. */
    boolean stalls(long nowNanos) {
        long since = waitedForSince();
        if (since == SlowPolicy.NEVER) {
            allowance.progress(nowNanos);
        }
        return since != SlowPolicy.NEVER && allowance.stalls(since, nowNanos);
    }

    // ---- its count, its end ------------------------------------------------------------------------------------

    /** Messages so far: exact between two frames, otherwise some less. Any thread. */
    long messages() {
        return messages;
    }

    /** Their bytes. Any thread. */
    long bytes() {
        return bytes;
    }

    /** Nothing is sent any more. More than once without harm. */
    void release() {
        feed.release();
        reader.release();
        endReplay();
    }
}
