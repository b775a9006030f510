package dev.msgrelay.server.subscribe;

import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.StartFrom;
import dev.msgrelay.server.access.Refusal;
import dev.msgrelay.server.access.Rights;
import dev.msgrelay.server.connection.Services;
import dev.msgrelay.server.figures.ConnectionRow;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.journal.read.BlockReader;
import dev.msgrelay.server.stream.Chunk;
import dev.msgrelay.server.stream.LogReader;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.PacketLog;
import dev.msgrelay.server.stream.WindowGate;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A subscriber's way from a place that the log no longer has to the head: through the journal, page by page, then
 * through the log. Where the log is faster the way leads back to the journal, so no message is left out and none comes
 * twice.
 *
 * <pre>
 *   journal   | block | block | block | block | block |       written
 *             |---- page ----->|---- page ---->|
 *   log                                    tail |  . . . . . . .  | head
 *             JOURNAL ------------------------------------> CATCHING_UP ----> LIVE
 *
 *   LIVE --toJournal--> JOURNAL --near the head--> CATCHING_UP --near the head--> LIVE
 *                          ^---overtaken by the log----'
 * </pre>
 *
 * <p>Owned by the thread of the subscriber's loop, which in JOURNAL is that of the journal's readers.
 */
final class CatchUp {
    private enum State {
        /** The log: the subscriber has caught up, or was never behind. */
        LIVE,
        /** The journal, and the log where that has the place; on the loop that may wait for the disk. */
        JOURNAL,
        /** The log, on a loop that does not wait for the disk, until one write reaches the head. */
        CATCHING_UP
    }

    /** The result of a look for the place where a stream starts. */
    enum Seek {
        /** The reader is at that place. */
        FOUND,
        /** Messages are missing, which {@link #gap} names; the reader is after them. */
        BEHIND_A_GAP,
        /** The place is in the journal, which the loop reads that may wait for the disk. */
        IN_JOURNAL,
        /** Not yet: the stream has not come that far, or there is no memory for the journal's bytes. */
        WAIT
    }

    /** The way on, of a subscriber that is not live. */
    enum Next {
        /** From the reader's position: a page, or the log. */
        HERE,
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

    /** The messages that a subscriber does not get, from the first to the last of them. */
    record Gap(long from, long to, GapReason reason) {}

    /**
     * The place where a subscriber's stream starts.
     *
     * @param first with {@link StartFrom#SEQUENCE} the number of the first message that the subscriber gets
     * @param millis with {@link StartFrom#TIME} since 1970
     */
    record Start(StartFrom from, long first, long millis) {
        /** Returns whether the subscriber names the first message, and is told of those that are missing. */
        boolean resumes() {
            return from == StartFrom.SEQUENCE;
        }
    }

    /** The begin of a way to the head: the time, the reader's position, and the head's. */
    private record Beginning(long nanos, long position, long head) {
        int percent(long at, long headNow) {
            return headNow <= position ? 100 : (int) Math.max(0, 100 * (at - position) / (headNow - position));
        }

        long leftMillis(long at, long headNow, long nowNanos) {
            double seconds = (nowNanos - nanos) / (double) TimeUnit.SECONDS.toNanos(1);
            double gain = (at - position) - (headNow - head);
            return gain <= 0 ? -1 : Math.round(1000 * seconds * Math.max(0, headNow - at) / gain);
        }
    }

    /** Looks for a place in the log: from the second on the writer waits for the reader; a third is for a slow host. */
    private static final int MOST_TRIES = 3;

    private final PacketLog log;
    private final LogReader reader;
    private final SlowReader slowness;
    private final Rights rights;
    private final Services services;
    // Without it the state is LIVE, always.
    private final Optional<FanoutParts.Replays> replays;
    private final Mark found = new Mark();
    private volatile State state = State.LIVE;
    private Gap gap;

    // From here on: set by toJournal.
    private ReplayPages pages;
    private BlockReader blocks;
    private Chunk page;
    // Bytes that the next block needs; 0: as most do.
    private long longer;
    // The start has been looked for, and "wanted" is the first message from there on; 0: none in particular.
    private boolean sought;
    private boolean starting;
    private long wanted;
    // The reason of the last move of the reader over messages that are missing.
    private GapReason missingFor;

    private volatile Beginning beginning;
    private volatile long sequence;

    /** @param reader of the subscriber */
    CatchUp(FanoutParts shared, Services services, Rights rights, SlowReader slowness, LogReader reader) {
        this.log = shared.log();
        this.reader = reader;
        this.slowness = slowness;
        this.rights = rights;
        this.services = services;
        this.replays = shared.replays();
    }

    // ---- states ------------------------------------------------------------------------------------------------

    /** Returns whether the stream comes from the log, without a way to go. Any thread. */
    boolean isLive() {
        return state == State.LIVE;
    }

    /** Goes on in the journal, unless the subscriber's identity may not do so: returns why. */
    Optional<Refusal> toJournal() {
        slowness.leaveGate();
        if (state == State.LIVE) {
            Optional<Refusal> refusal = rights.beginReplay();
            if (refusal.isPresent()) {
                return refusal;
            }
            services.counters().increment(Counter.JOURNAL_REPLAYS_BEGUN);
            FanoutParts.Replays source = replays.orElseThrow();
            pages = source.pages();
            blocks = source.journal().newBlockReader(pages.records);
            longer = 0;
            sought = false;
            starting = false;
            wanted = 0;
            beginHere(services.clock().nanoTime());
            pages.enter();
        }
        state = State.JOURNAL;
        return Optional.empty();
    }

    private void beginHere(long sinceNanos) {
        sequence = reader.boundary().sequence();
        beginning = new Beginning(sinceNanos, reader.position(), log.head().position());
    }

    /** Gives back all that catching up takes. More than once without harm. */
    void becomeLive() {
        if (state != State.LIVE) {
            pause();
            pages.exit(this);
            rights.endReplay();
            state = State.LIVE;
        }
    }

    // ---- the start of the stream -------------------------------------------------------------------------------

    /**
     * Moves the reader to the first message that a subscriber wants, or behind that one where it is missing. To be
     * called again after WAIT, and after IN_JOURNAL on the loop that reads the journal.
     *
     * @param start not {@link StartFrom#LIVE}
     * @param head not behind that message; may be moved on
     */
    Seek seekStart(Start start, Mark head) {
        return state == State.JOURNAL ? seekInJournal(start, head) : seekInLog(start, head);
    }

    private Seek seekInLog(Start start, Mark head) {
        if (replays.isPresent() && !isInLog(start, replays.get().journal())) {
            return Seek.IN_JOURNAL;
        }
        slowness.joinGate();
        // The log's writer may have gone on meanwhile.
        int tries = 0;
        do {
            log.head().read(head);
            reader.seek(start.resumes() ? start.first() : LogReader.EARLIEST, head);
            slowness.movedBack();
        } while (reader.overtaken() && ++tries < MOST_TRIES);
        long first = start.resumes() ? start.first() : reader.boundary().sequence();
        if (replays.isPresent() && reader.boundary().sequence() != first) {
            // The log has dropped the message meanwhile.
            return Seek.IN_JOURNAL;
        }
        return foundFor(first, GapReason.NOT_HELD);
    }

    /** Returns whether the log has the place, and all that is behind it. */
    private boolean isInLog(Start start, Journal journal) {
        return switch (start.from()) {
            case LIVE -> true;
            case SEQUENCE -> log.packetOf(start.first(), found) && found.position() >= log.tail();
            case EARLIEST -> !journal.hasBefore(log.tail());
            case TIME -> false;
        };
    }

    private Seek seekInJournal(Start start, Mark head) {
        if (!sought) {
            sought = true;
            // The journal may have gone on since the head was read.
            wanted = Math.min(first(start), head.sequence());
            reader.seek(wanted, head);
            if (reader.boundary().sequence() > wanted || reader.overtaken()) {
                blocks.seek(wanted);
                goOnAt(blocks.at(), GapReason.NOT_HELD);
            }
            gap = new Gap(wanted, wanted, GapReason.NOT_HELD);
        }
        starting = true;
        Read read = Read.MISSING;
        while (read == Read.MISSING) {
            if (!start.resumes() && gap.reason() == GapReason.NOT_HELD) {
                // The subscriber has not named the message, which was dropped in this very moment.
                wanted = Math.max(wanted, reader.boundary().sequence());
            }
            // Gaps behind the message that is wanted are told as the reader comes to them.
            read = reader.boundary().sequence() > wanted ? Read.AT_HAND : read();
        }
        if (read == Read.NO_MEMORY) {
            return Seek.WAIT;
        }
        starting = false;
        if (reader.onPage()) {
            reader.skipInPage(wanted);
        }
        beginHere(beginning.nanos());
        return foundFor(wanted, gap.reason());
    }

    private long first(Start start) {
        return switch (start.from()) {
            case EARLIEST -> {
                blocks.oldest(found);
                yield found.sequence();
            }
            case TIME -> {
                blocks.seekTime(start.millis());
                yield blocks.at().sequence();
            }
            default -> start.first();
        };
    }

    private Seek foundFor(long first, GapReason why) {
        long next = reader.boundary().sequence();
        if (next <= first) {
            return Seek.FOUND;
        }
        gap = new Gap(first, next - 1, why);
        return Seek.BEHIND_A_GAP;
    }

    // ---- on the way --------------------------------------------------------------------------------------------

    /**
     * Looks, while the reader is between two frames and not live, where the stream comes from next. May wait for the
     * disk on the loop that may.
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
            case AT_HAND -> reader.onPage() ? Next.HERE : backInTheLog(behind);
        };
    }

    private Next backInTheLog(long behind) {
        if (!slowness.inGate() && !joinAgain()) {
            return Next.JOURNAL;
        }
        if (!slowness.isNear(behind)) {
            return Next.HERE;
        }
        state = State.CATCHING_UP;
        return Next.LOG;
    }

    private Next fromLog(long behind) {
        if (reader.overtaken()) {
            return Next.JOURNAL;
        }
        if (behind <= SendGroup.WRITE_BYTES) {
            becomeLive();
        }
        return Next.HERE;
    }

    /** Lets the policy hold the log back from here on; returns whether the log still has the place. */
    private boolean joinAgain() {
        slowness.joinGate();
        slowness.movedBack();
        if (reader.overtaken()) {
            slowness.leaveGate();
        }
        return slowness.inGate();
    }

    /** Finds the bytes that come next. May wait for the disk. */
    private Read read() {
        if (reader.onPage() && reader.position() < reader.pageEnd().position()) {
            return Read.AT_HAND;
        }
        while (true) {
            reader.leavePage();
            sequence = reader.boundary().sequence();
            // A page that was used up goes back first: subscribers that wait for one come before.
            giveBack();
            // A block of the journal may begin before the message that is wanted: only there the reader can go on to
            // it.
            if (sequence >= wanted && !reader.overtaken()) {
                pages.leaveLine(this);
                return Read.AT_HAND;
            }
            page = pages.acquire(this, longer, starting);
            if (page == null) {
                return Read.NO_MEMORY;
            }
            longer = 0;
            if (readPage()) {
                return Read.AT_HAND;
            }
            long next = reader.boundary().sequence();
            if (next > sequence) {
                gap = new Gap(sequence, next - 1, missingFor);
                sequence = next;
                return Read.MISSING;
            }
        }
    }

    /**
     * Reads blocks into the page; false: it needs a longer one, or the reader has gone on after the missing messages.
     */
    private boolean readPage() {
        // A BlockReader that was never asked is at the very beginning, and knows no number there.
        if (blocks.at().position() != reader.position() || blocks.at().sequence() != sequence) {
            blocks.seek(sequence);
        }
        if (blocks.at().position() > reader.position()) {
            blocks.oldest(found);
            boolean lost = found.position() < blocks.at().position();
            goOnAt(blocks.at(), lost ? GapReason.DAMAGED : GapReason.NOT_HELD);
            return false;
        }
        switch (blocks.next(page.memory().nioBuffer(0, page.memory().capacity()))) {
            case BLOCKS -> {
                reader.enterPage(page, blocks.at().position(), blocks.foundEnd());
                blocks.pass();
                return true;
            }
            case LONGER -> {
                if (blocks.needed() > pages.most()) {
                    goOnAt(blocks.foundEnd(), GapReason.NOT_HELD);
                } else {
                    longer = blocks.needed();
                }
            }
            case DAMAGE -> goOnAt(blocks.foundEnd(), GapReason.DAMAGED);
            case DROPPED -> goOnAt(blocks.foundEnd(), GapReason.NOT_HELD);
            case ALL_READ -> {
                // The journal has ended, and the log has gone on without it.
                seekOldest();
                missingFor = GapReason.NOT_HELD;
            }
        }
        return false;
    }

    /** Moves the reader to a place in the journal; or to the oldest message of the log, where the journal has less. */
    private void goOnAt(Mark place, GapReason why) {
        missingFor = why;
        seekOldest();
        if (reader.position() > place.position() || reader.overtaken()) {
            reader.moveTo(place);
        }
    }

    private void seekOldest() {
        log.head().read(found);
        reader.seek(LogReader.EARLIEST, found);
    }

    Gap gap() {
        return gap;
    }

    // ---- memory ------------------------------------------------------------------------------------------------

    private void giveBack() {
        if (page != null) {
            pages.giveBack(page);
            page = null;
        }
    }

    /** Returns since when subscribers wait for this one's page; {@link WindowGate#NEVER}: none does. */
    long waitedForSince() {
        return page == null ? WindowGate.NEVER : pages.waitingSince();
    }

    /** Gives the page back for a while, between two frames: {@link #next} reads from there on once more. */
    void pause() {
        reader.leavePage();
        giveBack();
    }

    // ---- reports: any thread -----------------------------------------------------------------------------------

    /** Returns the messages from a position to the head, about. */
    long messagesBehind(long at, Mark head) {
        return isLive() ? log.messagesFrom(at, head) : Math.max(0, head.sequence() - sequence);
    }

    /** Returns how much of the way to the head is done at a position; {@link ConnectionRow#LIVE}: all of it. */
    int percent(long at, long head) {
        return isLive() ? ConnectionRow.LIVE : beginning.percent(at, head);
    }

    /** Returns how long the rest of the way takes at the pace so far, in ms; -1: for ever, or that is not known. */
    long leftMillis(long at, long head, long nowNanos) {
        return isLive() ? 0 : beginning.leftMillis(at, head, nowNanos);
    }
}
