package dev.msgrelay.server.fanout;

import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.journal.read.JournalFeed;
import dev.msgrelay.server.log.Chunk;
import dev.msgrelay.server.log.LogReader;
import dev.msgrelay.server.log.Mark;
import dev.msgrelay.server.log.PacketLog;
import java.util.concurrent.TimeUnit;

/**
 * A subscriber's way from a place that the log no longer has to the head: through the journal, page by page, then through the
 * log. Where the log is faster it goes back to the journal, so nothing is left out and nothing comes twice.
 *
 * <pre>
 *   journal   | block | block | block | block | block |       written
 *             |---- page ----->|---- page ---->|
 *   log                                    tail |  . . . . . . .  | head
 *             subscriber --------------------------> here the log has its place -------> it has caught up
 * </pre>
 *
 * Owned by the thread of the subscriber's loop, which is that of the journal's readers while {@link #next} is called; what
 * reports ask, any.
 */
final class Replay {
    /** What it can be sent from next. */
    enum Source {
        /** From the page that its reader has entered. */
        PAGE,
        /** From the log. */
        LOG,
        /** Messages are missing: {@link #gap}. Its reader stands behind them. */
        GAP,
        /** There is no memory just now. */
        WAIT
    }

    /** The numbers of the first and the last message that a subscriber does not get, and why. */
    record Gap(long from, long to, GapReason reason) {}

    private final PacketLog log;
    private final LogReader reader;
    private final ReplayPages pages;
    private final JournalFeed feed;
    private final Mark found = new Mark();
    private Chunk page;
    // Bytes that the next block needs; 0: as most do.
    private long longer;
    private Gap gap;
    // Where it begins: the number of the first message that it wants.
    private boolean sought;
    private long wanted;

    private final long beganNanos;
    private volatile long beganAt;
    private volatile long beganHead;
    private volatile long sequence;

    Replay(PacketLog log, LogReader reader, ReplayPages pages, Journal journal, long nowNanos) {
        this.log = log;
        this.reader = reader;
        this.pages = pages;
        this.feed = journal.newFeed(pages.records());
        this.beganNanos = nowNanos;
        this.sequence = reader.boundary().sequence();
        this.beganAt = reader.position();
        this.beganHead = log.head().position();
        pages.enter();
    }

    // ---- where to begin ----------------------------------------------------------------------------------------

    /**
     * Has its reader stand at the first message that it wants, or behind that one where it is missing: then {@link #gap} says why.
     * Asked again until the answer is yes.
     *
     * @param head not behind that message
     * @return whether it stands there; otherwise there is no memory for that yet
     */
    boolean begin(Start start, Mark head) {
        if (!sought) {
            sought = true;
            // The journal may have gone on since the head was read.
            wanted = Math.min(first(start), head.sequence());
            reader.seek(wanted, head);
            if (reader.boundary().sequence() > wanted || reader.overtaken()) {
                feed.seek(wanted);
                goOnAt(feed.at());
            }
            gap = new Gap(wanted, wanted, GapReason.NOT_HELD);
        }
        Source source = Source.GAP;
        while (source == Source.GAP) {
            if (!start.resumes() && gap.reason() == GapReason.NOT_HELD) {
                // What was dropped in this very moment, nobody has asked for.
                wanted = Math.max(wanted, reader.boundary().sequence());
            }
            // Behind what it wants: what else is missing is told as it comes to it.
            source = reader.boundary().sequence() > wanted ? Source.LOG : next();
        }
        if (source == Source.WAIT) {
            return false;
        }
        if (source == Source.PAGE) {
            reader.goOnTo(wanted);
        }
        sequence = reader.boundary().sequence();
        beganAt = reader.position();
        beganHead = log.head().position();
        return true;
    }

    /** The number of the first message that it wants: the same as it asked for, where that was a number. */
    long wanted() {
        return wanted;
    }

    private long first(Start start) {
        switch (start.from()) {
            case EARLIEST -> {
                feed.oldest(found);
                return found.sequence();
            }
            case TIME -> {
                feed.seekTime(start.millis());
                return feed.at().sequence();
            }
            default -> {
                return start.first();
            }
        }
    }

    // ---- on the way --------------------------------------------------------------------------------------------

    /** Where its reader, which stands between two frames, is sent from next. May wait for the disk. */
    Source next() {
        Mark end = reader.pageEnd();
        if (end != null && reader.position() < end.position()) {
            return Source.PAGE;
        }
        reader.leave();
        sequence = reader.boundary().sequence();
        // A block of the journal may begin before the message that is wanted: only there it can go on to that.
        if (sequence >= wanted && !reader.overtaken()) {
            giveBack();
            pages.leave(this);
            return Source.LOG;
        }
        if (!hasPage(longer)) {
            return Source.WAIT;
        }
        longer = 0;
        // Also at the very beginning: a feed that was never asked stands there, and knows no number.
        if (feed.at().position() != reader.position() || feed.at().sequence() != sequence) {
            feed.seek(sequence);
        }
        if (feed.at().position() > reader.position()) {
            feed.oldest(found);
            return missing(found.position() < feed.at().position() ? GapReason.DAMAGED : GapReason.NOT_HELD, feed.at());
        }
        return read();
    }

    /** Others who wait are before it, also if it has one that it has used up. */
    private boolean hasPage(long bytes) {
        giveBack();
        page = pages.take(this, bytes);
        return page != null;
    }

    private Source read() {
        return switch (feed.next(page.memory().nioBuffer(0, page.memory().capacity()))) {
            case BLOCKS -> {
                reader.enter(page, feed.at().position(), feed.end());
                feed.pass();
                yield Source.PAGE;
            }
            case LONGER -> {
                if (feed.needed() > pages.most()) {
                    yield missing(GapReason.NOT_HELD, feed.end());
                }
                longer = feed.needed();
                if (!hasPage(longer)) {
                    yield Source.WAIT;
                }
                longer = 0;
                yield read();
            }
            case DAMAGE -> missing(GapReason.DAMAGED, feed.end());
            case DROPPED -> missing(GapReason.NOT_HELD, feed.end());
            case ALL_READ -> {
                // The journal has ended, and the log has gone on without it.
                log.head().read(found);
                reader.seek(LogReader.EARLIEST, found);
                yield gap(GapReason.NOT_HELD);
            }
        };
    }

    private Source missing(GapReason why, Mark to) {
        goOnAt(to);
        return gap(why);
    }

    /** Where the journal goes on; or with the oldest message of the log, where it has less than that. */
    private void goOnAt(Mark place) {
        log.head().read(found);
        reader.seek(LogReader.EARLIEST, found);
        if (reader.position() > place.position() || reader.overtaken()) {
            reader.leaveFor(place);
        }
    }

    /** Up to where its reader stands. */
    private Source gap(GapReason why) {
        long next = reader.boundary().sequence();
        if (next <= sequence) {
            return next();
        }
        gap = new Gap(sequence, next - 1, why);
        sequence = next;
        return Source.GAP;
    }

    /** What is missing. */
    Gap gap() {
        return gap;
    }

    private void giveBack() {
        if (page != null) {
            pages.give(page);
            page = null;
        }
    }

    /** Whether others wait, and it has memory. */
    boolean isAwaited() {
        return page != null && pages.waitingSince() != ReplayPages.NEVER;
    }

    /** It is sent nothing for a while. Its reader stands between two frames, and {@link #next} reads from there on once more. */
    void pause() {
        reader.leave();
        giveBack();
    }

    /** It is over. */
    void end() {
        pause();
        pages.exit(this);
    }

    // ---- reports: any thread -----------------------------------------------------------------------------------

    /** The number of a message not far before the next one. */
    long sequence() {
        return sequence;
    }

    /** How far it has come of the way, in percent. */
    int percent(long position, long head) {
        return head <= beganAt ? 100 : (int) Math.max(0, 100 * (position - beganAt) / (head - beganAt));
    }

    /** How long it goes on at the pace that it has had so far, in ms; -1: nobody knows, or for ever. */
    long leftMillis(long position, long head, long nowNanos) {
        double seconds = (nowNanos - beganNanos) / (double) TimeUnit.SECONDS.toNanos(1);
        double gain = (position - beganAt) - (head - beganHead);
        return gain <= 0 ? -1 : Math.round(1000 * seconds * Math.max(0, head - position) / gain);
    }
}
