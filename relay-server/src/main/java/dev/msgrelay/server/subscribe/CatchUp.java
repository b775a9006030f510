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
 * Brings a subscriber to the head of the stream when the log has dropped the subscriber's next message. First the
 * subscriber is sent the journal, page by page, and then the log. If the log drops the next message once more, the
 * subscriber returns to the journal. No message is sent twice.
 *
 * <pre>
 *   journal   | block | block | block | block | block |       written
 *             |---- page ----->|---- page ---->|
 *   log                                    tail |  . . . . . . .  | head
 *             JOURNAL ------------------------------------> CATCHING_UP ----> LIVE
 *
 *   LIVE --toJournal--> JOURNAL --isNear--> CATCHING_UP --within one write of the head--> LIVE
 *                          ^--overtaken by the log--'
 * </pre>
 *
 * <p>Owned by the thread of the subscriber's loop. In state JOURNAL, this loop is the one that may wait for the disk.
 * In the other states, it is one of the other loops.
 */
final class CatchUp {
    private enum State {
        /** The subscriber is sent the log, and does not have to catch up. */
        LIVE,
        /** The subscriber is sent the journal, or the log if it has the next message, on the loop of the journal. */
        JOURNAL,
        /** The subscriber is sent the log, but is not within one write of the head yet. */
        CATCHING_UP
    }

    /** The result of {@link #seekStart}. */
    enum Seek {
        /** The reader is at the start. */
        FOUND,
        /** Messages at the start are missing, see {@link #gap}. The reader is at the first message after them. */
        AFTER_A_GAP,
        /** The start is in the journal. The caller moves to the loop that may wait for the disk, and calls again. */
        IN_JOURNAL,
        /** The stream has not reached the start, or there is no memory for a page. The caller calls again later. */
        WAIT
    }

    /** The result of {@link #next}. */
    enum Next {
        /** The reader has the next bytes, in a page or in the log. */
        HERE,
        /** Messages are missing, see {@link #gap}; the reader has passed them. */
        GAP,
        /** The subscriber goes on in the journal, on the loop that may wait for the disk. */
        JOURNAL,
        /** The subscriber goes on in the log, on a loop that does not wait for the disk. */
        LOG,
        /** There is no memory for a page now. */
        WAIT
    }

    /** The result of a read of the journal. */
    private enum Read {
        /** The reader has the next bytes, in a page or in the log. */
        AT_HAND,
        MISSING,
        NO_MEMORY
    }

    /** The first and the last of the messages that a subscriber does not get. */
    record Gap(long from, long to, GapReason reason) {
        /** Returns the messages, for a text. */
        String what() {
            return "messages " + from + " to " + to;
        }
    }

    /**
     * The start of a subscriber's stream.
     *
     * @param first with {@link StartFrom#SEQUENCE} the number of the first message that the subscriber gets
     * @param millis with {@link StartFrom#TIME} the time of the first message, in ms since 1970
     */
    record Start(StartFrom from, long first, long millis) {
        /** Returns whether HELLO has the first message's number. If that message is missing, GAP says so. */
        boolean resumes() {
            return from == StartFrom.SEQUENCE;
        }
    }

    /** The time at the start of a catch-up, and the positions of the reader and the head at that time. */
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

    /**
     * Limit of the tries to find a start in the log, which may drop the first message during a try. With {@code
     * backpressure} the writer waits for the reader from the second try on. A slow host may need a third one.
     */
    private static final int MOST_TRIES = 3;

    private final PacketLog log;
    private final LogReader reader;
    private final SlowReader slowness;
    private final Rights rights;
    private final Services services;
    // Empty if subscribers are not sent the journal. The state is always LIVE then.
    private final Optional<FanoutParts.Replays> replays;
    private final Mark found = new Mark();
    private volatile State state = State.LIVE;
    private Gap gap;

    // The fields from here on are used only after a call of toJournal().
    private ReplayPages pages;
    private BlockReader blocks;
    private Chunk page;
    // The length of the next block, if it is longer than a page; otherwise 0.
    private long longer;
    // Whether the start was looked up, whether the next page is the first, and the first wanted message or 0.
    private boolean sought;
    private boolean starting;
    private long wanted;
    // The reason why messages before the reader's position are missing.
    private GapReason missingFor;

    private volatile Beginning beginning;
    private volatile long sequence;

    CatchUp(FanoutParts shared, Services services, Rights rights, SlowReader slowness, LogReader reader) {
        this.log = shared.log();
        this.reader = reader;
        this.slowness = slowness;
        this.rights = rights;
        this.services = services;
        this.replays = shared.replays();
    }

    /** Returns whether the subscriber is sent the log, and has caught up. Any thread. */
    boolean isLive() {
        return state == State.LIVE;
    }

    /** Goes on in the journal, or returns a refusal if the limits of the subscriber's identity do not allow that. */
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

    /** Gives back what it has of the journal's memory, since the state takes the journal's place. */
    void readNoJournal() {
        if (state == State.JOURNAL) {
            pause();
            pages.leaveLine(this);
        }
    }

    /** Ends the reading of the journal; returns whether the subscriber is on the loop of that, and has to leave it. */
    boolean leaveJournal() {
        boolean there = state == State.JOURNAL;
        if (there) {
            readNoJournal();
            state = State.CATCHING_UP;
        }
        return there;
    }

    /** Ends the catch-up, gives its page back, and no longer counts it as a replay. Further calls do nothing. */
    void becomeLive() {
        if (state != State.LIVE) {
            pause();
            pages.exit(this);
            rights.endReplay();
            state = State.LIVE;
        }
    }

    /**
     * Moves the reader to the start, or after it if messages there are missing. Called again after WAIT; also after
     * IN_JOURNAL, on the loop that may wait for the disk.
     *
     * @param start not {@link StartFrom#LIVE}
     * @param head the end of the stream, not before the start; may be moved to the newest end
     */
    Seek seekStart(Start start, Mark head) {
        return state == State.JOURNAL ? seekInJournal(start, head) : seekInLog(start, head);
    }

    private Seek seekInLog(Start start, Mark head) {
        if (replays.isPresent() && !isInLog(start, replays.get().journal())) {
            return Seek.IN_JOURNAL;
        }
        slowness.joinGate();
        // If the log's writer drops the start during a seek, the reader seeks again.
        int tries = 0;
        do {
            log.head().read(head);
            reader.seek(start.resumes() ? start.first() : LogReader.EARLIEST, head);
            slowness.movedBack();
        } while (reader.overtaken() && ++tries < MOST_TRIES);
        long first = start.resumes() ? start.first() : reader.boundary().sequence();
        if (replays.isPresent() && reader.boundary().sequence() != first) {
            // The log has dropped the first message meanwhile.
            return Seek.IN_JOURNAL;
        }
        return foundFor(first, GapReason.NOT_HELD);
    }

    /** Returns whether the log has the start, and all messages after it. */
    private boolean isInLog(Start start, Journal journal) {
        return switch (start.from()) {
            case LIVE -> true;
            case SEQUENCE -> log.packetOf(start.first(), found) && found.position() >= log.tail();
            case EARLIEST -> !journal.hasBefore(log.tail());
            case TIME -> false;
            case STATE -> throw new IllegalStateException("no start in log or journal: " + start.from());
        };
    }

    private Seek seekInJournal(Start start, Mark head) {
        if (!sought) {
            sought = true;
            // The journal may have grown since the head was read, so a search in the journal may end after that head.
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
                // The journal has just dropped the first message. Without a number in HELLO, the next one will do.
                wanted = Math.max(wanted, reader.boundary().sequence());
            }
            // Gaps after the wanted message are reported later, when the reader reaches them.
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
        return Seek.AFTER_A_GAP;
    }

    /**
     * Finds the next bytes for a subscriber that is not live. Only between two frames. Waits for the disk in JOURNAL.
     *
     * @param lag bytes from the reader to the end of the stream
     */
    Next next(long lag) {
        return state == State.JOURNAL ? fromJournal(lag) : fromLog(lag);
    }

    private Next fromJournal(long lag) {
        return switch (read()) {
            case MISSING -> Next.GAP;
            case NO_MEMORY -> Next.WAIT;
            case AT_HAND -> reader.onPage() ? Next.HERE : backInTheLog(lag);
        };
    }

    private Next backInTheLog(long lag) {
        if (!slowness.inGate() && !joinAgain()) {
            return Next.JOURNAL;
        }
        if (!slowness.isNear(lag)) {
            return Next.HERE;
        }
        state = State.CATCHING_UP;
        return Next.LOG;
    }

    private Next fromLog(long lag) {
        if (reader.overtaken()) {
            return Next.JOURNAL;
        }
        if (lag <= SendGroup.WRITE_BYTES) {
            becomeLive();
        }
        return Next.HERE;
    }

    /** Lets the policy hold publishers back again, if the log still has the next message; returns whether it has. */
    private boolean joinAgain() {
        slowness.joinGate();
        slowness.movedBack();
        if (reader.overtaken()) {
            slowness.leaveGate();
        }
        return slowness.inGate();
    }

    /** Finds the next bytes in state JOURNAL. May wait for the disk. */
    private Read read() {
        if (reader.onPage() && reader.position() < reader.pageEnd().position()) {
            return Read.AT_HAND;
        }
        while (true) {
            reader.leavePage();
            sequence = reader.boundary().sequence();
            // The used page is given back first, because subscribers that wait for a page are served before this one.
            giveBack();
            // A reader before the wanted message needs a page, because it can skip to that message only within a page.
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

    /** Reads blocks into the page; false if the next block needs a longer page, or the reader has passed a gap. */
    private boolean readPage() {
        // Sequences are compared too, because a new BlockReader has position 0 like a new reader, but sequence 0.
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
                // The journal ends before the log begins, so the messages between them are missing.
                seekOldest();
                missingFor = GapReason.NOT_HELD;
            }
        }
        return false;
    }

    /** Moves the reader to {@code place} in the journal, or to the log's oldest message if that is not later. */
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

    private void giveBack() {
        if (page != null) {
            pages.giveBack(page);
            page = null;
        }
    }

    /** Returns since when subscribers have waited for this subscriber's page; or {@link WindowGate#NEVER}. */
    long waitedForSince() {
        return page == null ? WindowGate.NEVER : pages.waitingSince();
    }

    /** Gives the page back. Called only between two frames. {@link #next} reads the rest of the page again. */
    void pause() {
        reader.leavePage();
        giveBack();
    }

    /** Returns the approximate number of messages between a position and the head. */
    long messagesToHead(long at, Mark head) {
        return isLive() ? log.messagesFrom(at, head) : Math.max(0, head.sequence() - sequence);
    }

    /** Returns how many percent of the catch-up are done at a position; or {@link ConnectionRow#LIVE}. */
    int percent(long at, long head) {
        return isLive() ? ConnectionRow.LIVE : beginning.percent(at, head);
    }

    /** Returns in how many ms the subscriber will have caught up at its average pace; -1 if its lag does not shrink. */
    long leftMillis(long at, long head, long nowNanos) {
        return isLive() ? 0 : beginning.leftMillis(at, head, nowNanos);
    }
}
