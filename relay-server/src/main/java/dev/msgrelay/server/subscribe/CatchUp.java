package dev.msgrelay.server.subscribe;

import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.server.access.Refusal;
import dev.msgrelay.server.access.Rights;
import dev.msgrelay.server.connection.Services;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.journal.read.BlockReader;
import dev.msgrelay.server.stream.Chunk;
import dev.msgrelay.server.stream.LogReader;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.PacketLog;
import dev.msgrelay.server.stream.WindowGate;
import java.util.Optional;

/**
 * A subscriber's way from a place that the log no longer has to the head: through the journal, page by page, then through the
 * log. Where the log is faster the way leads back to the journal, so nothing is left out and nothing comes twice.
 *
 * <pre>
 *   journal   | block | block | block | block | block |       written
 *             |---- page ----->|---- page ---->|
 *   log                                    tail |  . . . . . . .  | head
 *             JOURNAL ------------------------------------> CATCHING_UP ----> LIVE
 *
 *   LIVE --toJournal--> JOURNAL --near the head--> CATCHING_UP --at the head--> LIVE
 *                          ^---overtaken by the log----'
 * </pre>
 *
 * <p>Owned by the thread of the subscriber's loop, which in JOURNAL is that of the journal's readers; reports may be asked for
 * by any.
 */
final class CatchUp {
    private enum State {
        /** The log: the subscriber has caught up, or was never behind. */
        LIVE,
        /** The journal, and the log where that has the place; on the loop that may wait for the disk. */
        JOURNAL,
        /** The log, on a loop that does not wait for the disk, until the head is reached. */
        CATCHING_UP
    }

    /** The result of a look for the place where a stream starts. */
    enum Place {
        /** The reader stands there. */
        FOUND,
        /** Messages are missing, which {@link #gap} names; the reader stands behind them. */
        BEHIND_A_GAP,
        /** The place is in the journal, which the loop reads that may wait for the disk. */
        IN_JOURNAL,
        /** There is no memory for the journal's bytes yet. */
        WAIT
    }

    /** The way on, of a subscriber that is not live. */
    enum Next {
        /** From where the reader stands: a page, or the log. */
        AGAIN,
        /** From there as well; but messages are missing before it, which {@link #gap} names. */
        GAP,
        /** From the journal, on the loop that may wait for the disk. */
        JOURNAL,
        /** From the log, on a loop that does not wait for the disk. */
        LOG,
        /** There is no memory just now. */
        WAIT
    }

    /** The result of a read of the journal. */
    private enum Read {
        /** The reader is in a page, or in the log where that has the place. */
        AT_HAND,
        MISSING,
        NO_MEMORY
    }

    private final PacketLog log;
    private final LogReader reader;
    private final SlowReader slowness;
    private final Rights rights;
    private final Services services;
    // Null: the state is LIVE, always.
    private final Journal journal;
    private final ReplayPages pages;
    private final Mark found = new Mark();
    private volatile State state = State.LIVE;
    private Gap gap;

    // Null in LIVE.
    private BlockReader feed;
    private Chunk page;
    // Bytes that the next block needs; 0: as most do.
    private long longer;
    // The start has been looked for, and this is the first message that is wanted there; 0: none in particular.
    private boolean sought;
    // Whether the start is being looked for.
    private boolean starts;
    private long wanted;

    private volatile Way way;
    private volatile long sequence;

    /** @param reader of the subscriber */
    CatchUp(FanoutParts shared, Services services, Rights rights, SlowReader slowness, LogReader reader) {
        this.log = shared.log();
        this.reader = reader;
        this.slowness = slowness;
        this.rights = rights;
        this.services = services;
        FanoutParts.Replays replays = shared.replays();
        this.journal = replays == null ? null : replays.journal();
        this.pages = replays == null ? null : replays.pages();
    }

    // ---- states ------------------------------------------------------------------------------------------------

    private void state(State next) {
        state = next;
    }

    /** Returns whether the stream comes from the log, as that of a subscriber that keeps up does. Any thread. */
    boolean isLive() {
        return state == State.LIVE;
    }

    /** Goes on in the journal; returns why the subscriber's identity may not do so, or null. */
    Refusal toJournal() {
        slowness.leave();
        if (state == State.LIVE) {
            Optional<Refusal> refusal = rights.beginReplay();
            if (refusal.isPresent()) {
                return refusal.get();
            }
            services.counters().increment(Counter.JOURNAL_REPLAYS_BEGUN);
            feed = journal.newBlockReader(pages.records);
            longer = 0;
            sought = false;
            starts = false;
            wanted = 0;
            standsHere(services.clock().nanoTime());
            pages.enter();
        }
        state(State.JOURNAL);
        return null;
    }

    private void standsHere(long sinceNanos) {
        sequence = reader.boundary().sequence();
        way = new Way(sinceNanos, reader.position(), log.head().position());
    }

    /** Ends the way, wherever it has come to. More than once without harm. */
    void end() {
        if (state != State.LIVE) {
            pause();
            pages.exit(this);
            feed = null;
            rights.endReplay();
            state(State.LIVE);
        }
    }

    // ---- where the stream starts -------------------------------------------------------------------------------

    /**
     * Moves the reader to the first message that a subscriber wants, or behind that one where it is missing. To be called
     * again after WAIT, and after IN_JOURNAL on the loop that reads the journal.
     *
     * @param start not {@link dev.msgrelay.protocol.StartFrom#LIVE}
     * @param head not behind that message; may be moved on
     */
    Place stand(Start start, Mark head) {
        return state == State.JOURNAL ? standInJournal(start, head) : standInLog(start, head);
    }

    private Place standInLog(Start start, Mark head) {
        if (journal != null && !start.isIn(log, journal)) {
            return Place.IN_JOURNAL;
        }
        slowness.join();
        start.seek(reader, log, head, slowness);
        long first = start.resumes() ? start.first() : reader.boundary().sequence();
        if (journal != null && reader.boundary().sequence() != first) {
            // The log has dropped the message meanwhile.
            return Place.IN_JOURNAL;
        }
        return standsFor(first, GapReason.NOT_HELD);
    }

    private Place standInJournal(Start start, Mark head) {
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
        starts = true;
        Read read = Read.MISSING;
        while (read == Read.MISSING) {
            if (!start.resumes() && gap.reason() == GapReason.NOT_HELD) {
                // Nobody has asked for a message that was dropped in this very moment.
                wanted = Math.max(wanted, reader.boundary().sequence());
            }
            // Behind the message that is wanted the rest can wait: gaps there are told as the reader comes to them.
            read = reader.boundary().sequence() > wanted ? Read.AT_HAND : read();
        }
        if (read == Read.NO_MEMORY) {
            return Place.WAIT;
        }
        starts = false;
        if (reader.onPage()) {
            reader.skipInPage(wanted);
        }
        standsHere(way.nanos());
        return standsFor(wanted, gap.reason());
    }

    private long first(Start start) {
        return switch (start.from()) {
            case EARLIEST -> {
                feed.oldest(found);
                yield found.sequence();
            }
            case TIME -> {
                feed.seekTime(start.millis());
                yield feed.at().sequence();
            }
            default -> start.first();
        };
    }

    private Place standsFor(long first, GapReason why) {
        long stands = reader.boundary().sequence();
        if (stands <= first) {
            return Place.FOUND;
        }
        gap = new Gap(first, stands - 1, why);
        return Place.BEHIND_A_GAP;
    }

    // ---- on the way --------------------------------------------------------------------------------------------

    /**
     * Looks, while the reader stands between two frames and is not live, where the stream comes from next. May wait for the disk
     * on the loop that may.
     *
     * @param behind bytes from the reader to the end of the stream
     */
    Next next(long behind) {
        return state == State.JOURNAL ? fromJournal(behind) : fromLog(behind);
    }

    private Next fromJournal(long behind) {
        return switch (read()) {
            case MISSING -> Next.GAP;
            case NO_MEMORY -> Next.WAIT;
            case AT_HAND -> reader.onPage() ? Next.AGAIN : backInTheLog(behind);
        };
    }

    private Next backInTheLog(long behind) {
        if (!slowness.joined() && !joinAgain()) {
            return Next.JOURNAL;
        }
        if (!slowness.isNear(behind)) {
            return Next.AGAIN;
        }
        state(State.CATCHING_UP);
        return Next.LOG;
    }

    private Next fromLog(long behind) {
        if (reader.overtaken()) {
            return Next.JOURNAL;
        }
        if (behind <= SendGroup.WRITE_BYTES) {
            end();
        }
        return Next.AGAIN;
    }

    /** Lets the policy hold the log back from here on; returns whether the log still has the place. */
    private boolean joinAgain() {
        slowness.join();
        slowness.movedBack();
        if (reader.overtaken()) {
            slowness.leave();
        }
        return slowness.joined();
    }

    /** Finds the bytes that come next. May wait for the disk. */
    private Read read() {
        if (reader.onPage() && reader.position() < reader.pageEnd().position()) {
            return Read.AT_HAND;
        }
        reader.leavePage();
        sequence = reader.boundary().sequence();
        // A block of the journal may begin before the message that is wanted: only there the reader can go on to that.
        if (sequence >= wanted && !reader.overtaken()) {
            giveBack();
            pages.leave(this);
            return Read.AT_HAND;
        }
        if (!hasPage()) {
            return Read.NO_MEMORY;
        }
        // A feed that was never asked stands at the very beginning, and knows no number there.
        if (feed.at().position() != reader.position() || feed.at().sequence() != sequence) {
            feed.seek(sequence);
        }
        if (feed.at().position() > reader.position()) {
            feed.oldest(found);
            boolean lost = found.position() < feed.at().position();
            return missing(lost ? GapReason.DAMAGED : GapReason.NOT_HELD, feed.at());
        }
        return readBlocks();
    }

    /** Takes a page. A page that was used up goes back first: others who wait come before. */
    private boolean hasPage() {
        giveBack();
        page = pages.take(this, longer, starts);
        longer = page == null ? longer : 0;
        return page != null;
    }

    private Read readBlocks() {
        return switch (feed.next(page.memory().nioBuffer(0, page.memory().capacity()))) {
            case BLOCKS -> {
                reader.enterPage(page, feed.at().position(), feed.foundEnd());
                feed.pass();
                yield Read.AT_HAND;
            }
            case LONGER -> {
                if (feed.needed() > pages.most()) {
                    yield missing(GapReason.NOT_HELD, feed.foundEnd());
                }
                longer = feed.needed();
                yield hasPage() ? readBlocks() : Read.NO_MEMORY;
            }
            case DAMAGE -> missing(GapReason.DAMAGED, feed.foundEnd());
            case DROPPED -> missing(GapReason.NOT_HELD, feed.foundEnd());
            case ALL_READ -> {
                // The journal has ended, and the log has gone on without it.
                seekOldest();
                yield missing(GapReason.NOT_HELD);
            }
        };
    }

    /** Moves the reader to where the journal goes on; or to the oldest message of the log, where the journal has less. */
    private void goOnAt(Mark place) {
        seekOldest();
        if (reader.position() > place.position() || reader.overtaken()) {
            reader.moveTo(place);
        }
    }

    private void seekOldest() {
        log.head().read(found);
        reader.seek(LogReader.EARLIEST, found);
    }

    private Read missing(GapReason why, Mark to) {
        goOnAt(to);
        return missing(why);
    }

    private Read missing(GapReason why) {
        long next = reader.boundary().sequence();
        if (next <= sequence) {
            return read();
        }
        gap = new Gap(sequence, next - 1, why);
        sequence = next;
        return Read.MISSING;
    }

    Gap gap() {
        return gap;
    }

    // ---- memory ------------------------------------------------------------------------------------------------

    private void giveBack() {
        if (page != null) {
            pages.give(page);
            page = null;
        }
    }

    /** Returns since when others wait for the memory that this way has; {@link WindowGate#NEVER}: nobody does. */
    long waitedForSince() {
        return page == null ? WindowGate.NEVER : pages.waitingSince();
    }

    /** Gives the page back for a while, between two frames: {@link #next} reads from there on once more. */
    void pause() {
        reader.leavePage();
        giveBack();
    }

    // ---- reports: any thread -----------------------------------------------------------------------------------

    /** Returns the number of a message not far before the next one; of a way that has not ended. */
    long sequence() {
        return sequence;
    }

    /** Returns the way so far; of one that has not ended. */
    Way way() {
        return way;
    }
}
