package dev.msgrelay.server.journal;

import dev.msgrelay.server.journal.IndexRecord.Kind;
import dev.msgrelay.server.journal.Listing.Entry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * What a directory holds. It is looked at and not changed, so the same directory always gives the same answer.
 *
 * <pre>
 *   | segment | segment | segment | segment |
 *                            ^ forced: the last FORCED record, or the table of epochs
 *   |------ damage is told --|-- the first thing that is wrong is a torn tail: it ends here
 * </pre>
 *
 * Before {@code forced} everything once was on the disk, so what is wrong there is damage. Behind it a crash leaves anything:
 * old bytes and new ones, later records without earlier ones. What is whole from {@code forced} on, without a hole, is kept.
 *
 * <p>One thread.
 */
public final class Recovery {
    /** Longest piece of a stream file that is read at once. */
    static final int PIECE = 1 << 20;

    /** Steps of the clock that are told. */
    private static final int MOST_STEPS = 20;

    /** How much is looked at. */
    public enum Depth {
        /** The headers of all segments, and all of those that may hold what was not forced. */
        START,
        /** Every byte. */
        ALL
    }

    /**
     * A segment that is held.
     *
     * @param header as it is in the index, or as it can be told from what else is there
     * @param endPosition where the next one starts
     * @param endSequence number of the first message there
     * @param records in use at the front of the index; -1: was not looked at
     * @param length bytes of both files
     * @param timeMillis of its newest message, or a little later
     * @param skew steps of the clock up to then, from the oldest segment that is held on
     * @param mended the records as they shall be where something of the index, or of the bytes, is damaged; otherwise null
     */
    record Part(
            SegmentHeader header,
            long endPosition,
            long endSequence,
            int records,
            long length,
            long timeMillis,
            long skew,
            List<SealedRecord> mended) {}

    /**
     * A step of the machine's clock, as the index has it marked.
     *
     * @param sequence of the next message behind the mark
     * @param millis by how much
     * @param timeMillis what the clock said behind it
     */
    public record Step(long sequence, long millis, long timeMillis) {
        /** What the clock said, for people. */
        public String timeText() {
            return JournalClock.text(timeMillis);
        }
    }

    /**
     * The torn tail.
     *
     * @param position where it starts, which is where the journal goes on
     * @param sequence number of the first message there
     * @param endPosition behind the last record that was found in it
     * @param endSequence number of the first message there
     */
    public record Cut(long position, long sequence, long endPosition, long endSequence) {}

    /** Who is told how far it is. */
    public interface Progress {
        Progress NOBODY = (segments, of) -> {};

        /** So many of all segments were looked at. On the thread that looks. */
        void looked(int segments, int of);
    }

    private final Disk disk;
    private final Depth depth;
    private final Listing there;
    private final List<Entry> entries;
    private final long forced;
    private final long forcedSequence;
    private final ByteBuffer piece = ByteBuffer.allocate(PIECE);

    // Where the walk stands.
    private long position;
    private long sequence;
    private long time;
    // Steps of the clock up to the segment's header, and since then.
    private long headerSkew;
    private long skew;
    private long stepCount;
    private final Deque<Step> steps = new ArrayDeque<>();
    private final List<Part> parts = new ArrayList<>();
    private final List<Loss> damage = new ArrayList<>();
    private final List<Loss> lost = new ArrayList<>();
    private final List<String> dropped = new ArrayList<>();
    private final List<String> aside = new ArrayList<>();
    // Of segments since the last part, why they are none.
    private final List<String> unusable = new ArrayList<>();
    private Cut cut;
    private boolean droppedMeanwhile;
    private long checkedBytes;

    private final FoundNames names = new FoundNames();

    // Of the segment that is walked through.
    private List<SealedRecord> records = new ArrayList<>();
    private boolean mend;

    private Recovery(Disk disk, Depth depth, Listing there) {
        this.disk = disk;
        this.depth = depth;
        this.there = there;
        entries = there.entries;
        forced = there.forced;
        forcedSequence = there.forcedSequence;
        droppedMeanwhile = there.droppedMeanwhile;
        names.startWith(there.names);
    }

    /**
     * Looks at a directory.
     *
     * @throws IOException it cannot be read, or is of another version of the format
     */
    public static Recovery look(Disk disk, Depth depth) throws IOException {
        return look(disk, depth, Progress.NOBODY);
    }

    /** As above, and tells how far it is. */
    public static Recovery look(Disk disk, Depth depth, Progress progress) throws IOException {
        Recovery recovery = new Recovery(disk, depth, Listing.of(disk, progress));
        recovery.walk();
        return recovery;
    }

    /** Whether a directory has anything of a journal, however damaged; another one is not a sound journal without messages. */
    public static boolean hasAny(Disk disk) throws IOException {
        return disk.names().stream().anyMatch(name -> name.equals(FileNames.EPOCHS) || FileNames.base(name) >= 0);
    }

    // ---- what was found ----------------------------------------------------------------------------------------

    /** Where the stream goes on. */
    public long endPosition() {
        return position;
    }

    /** The number of the next message. */
    public long endSequence() {
        return sequence;
    }

    /** Where the oldest message that is held lies. */
    public long startPosition() {
        return parts.isEmpty() ? position : parts.get(0).header.base();
    }

    /** Its number. */
    public long startSequence() {
        return parts.isEmpty() ? sequence : parts.get(0).header.sequence();
    }

    /** Everything before this position was forced. */
    public long forcedPosition() {
        return forced;
    }

    public EpochTable epochs() {
        return there.epochs;
    }

    /** How far each name's messages are in what is held, in no order. */
    public List<JournalName.State> states() {
        return names.states();
    }

    /** Behind the newest block that moved a name; 0: there is none. */
    long named() {
        return names.named();
    }

    /** Where the table of names stands. */
    long namesPosition() {
        return there.names.position();
    }

    /** Whether the table of names is missing or damaged: numbers of some names may be too low. */
    public boolean namesDamaged() {
        SegmentHeader oldest = parts.isEmpty() ? null : parts.get(0).header;
        boolean missing = !there.namesThere && oldest != null && oldest.named() > 0;
        // Names that are ahead of the stream would have messages taken for known that are gone.
        boolean ahead = there.names.position() > position;
        // The table was read before the segments: where these were dropped since, they say nothing against it.
        return there.namesDamaged || missing && !droppedMeanwhile || ahead && !(droppedMeanwhile && oldest == null);
    }

    /** Whether the table of epochs is missing or damaged although there are segments. */
    public boolean epochsDamaged() {
        return there.epochsDamaged;
    }

    /** Whether no relay has ever begun an epoch here. */
    boolean isNew() {
        return there.epochs.epochs().isEmpty() && parts.isEmpty();
    }

    /** Bytes of the files of all segments. */
    public long length() {
        return parts.stream().mapToLong(Part::length).sum();
    }

    /** How often the machine's clock has stepped in the segments that were looked through. */
    public long stepCount() {
        return stepCount;
    }

    /** The last of these steps. */
    public List<Step> steps() {
        return List.copyOf(steps);
    }

    /** The machine's clock as the newest record has it. */
    JournalClock clock() {
        if (parts.isEmpty()) {
            return new JournalClock();
        }
        Part last = parts.get(parts.size() - 1);
        return new JournalClock(last.timeMillis, last.skew);
    }

    /** Bytes of the stream that were read and compared with their sums. */
    public long checkedBytes() {
        return checkedBytes;
    }

    /** Segments that are held. */
    public int segments() {
        return parts.size();
    }

    /** What is wrong among what was forced; until a repair nothing is written here. */
    public List<Loss> damage() {
        return damage;
    }

    /** What earlier repairs have written off. */
    public List<Loss> lost() {
        return lost;
    }

    /** What a crash left behind what was forced, and the next start cuts off; null: nothing. */
    public Cut cut() {
        return cut;
    }

    /** Whether it may be written to. */
    public boolean sound() {
        return damage.isEmpty() && !epochsDamaged() && !namesDamaged() && aside.isEmpty();
    }

    /** The segments that are held, from the oldest on. */
    List<Part> parts() {
        return parts;
    }

    /** Files behind the cut. */
    List<String> dropped() {
        return dropped;
    }

    /** Files among what was forced that are of no use. */
    public List<String> asideFiles() {
        return aside;
    }

    /** Files that a retention, or something else that was to be replaced, left behind when it was interrupted. */
    List<String> leftovers() {
        return there.leftovers;
    }

    // ---- the walk ----------------------------------------------------------------------------------------------

    private void walk() throws IOException {
        position = forced;
        sequence = forcedSequence;
        for (int i = 0; i < entries.size() && cut == null; i++) {
            Entry e = entries.get(i);
            try {
                entry(e, i + 1 < entries.size() ? entries.get(i + 1) : null);
            } catch (IOException cause) {
                if (!e.isGone(disk)) {
                    throw cause;
                }
            }
            if (e.isGone(disk)) {
                startAnew();
            } else if (cut != null) {
                dropFrom(parts.isEmpty() || parts.get(parts.size() - 1).header.base() != e.base ? i : i + 1);
            }
        }
        if (cut == null && position < forced) {
            hole(forced, forcedSequence, missing("the end is missing"));
            mendLast();
        }
    }

    private void entry(Entry e, Entry next) throws IOException {
        boolean first = parts.isEmpty();
        if (!e.usable() || !first && e.base < position) {
            unusable(e, first);
            return;
        }
        if (first) {
            startWith(e);
        } else if (e.base > position || e.header.sequence() != sequence) {
            hole(e.base, e.header.sequence(), missing("what lies before " + e.name() + " is missing"));
            mendLast();
        }
        if (cut == null) {
            part(e, next);
        }
    }

    /** A relay that runs has dropped the segment, and with it all older ones: the journal begins behind it. */
    private void startAnew() {
        droppedMeanwhile = true;
        parts.clear();
        damage.clear();
        lost.clear();
        aside.clear();
        unusable.clear();
        steps.clear();
        stepCount = 0;
        headerSkew = 0;
        skew = 0;
        mend = false;
        cut = null;
        position = forced;
        sequence = forcedSequence;
    }

    /** What lies before it was dropped by the retention; or it is damaged, and nobody knows what it was. */
    private void startWith(Entry e) {
        position = e.base;
        sequence = e.header.sequence();
    }

    private void unusable(Entry e, boolean first) {
        String why = !e.stream
                ? FileNames.stream(e.base) + " is missing"
                : !e.index
                        ? e.name() + " is missing"
                        : e.header == null ? e.name() + ": nothing of it is whole" : e.name() + " overlaps";
        if (e.base >= forced) {
            if (position < forced) {
                hole(forced, forcedSequence, missing("the end is missing"));
                mendLast();
            }
            cut = new Cut(position, sequence, position, sequence);
            return;
        }
        if (first) {
            Entry next = nextUsable(e);
            damage.add(new Loss(
                    e.base,
                    0,
                    next == null ? forced : next.base,
                    next == null ? forcedSequence : next.header.sequence(),
                    why));
        } else if (e.base < position) {
            damage.add(new Loss(position, sequence, position, sequence, why));
        } else {
            unusable.add(why);
        }
        if (e.stream) {
            aside.add(FileNames.stream(e.base));
        }
        if (e.index) {
            aside.add(e.name());
        }
    }

    private Entry nextUsable(Entry e) {
        for (Entry other : entries) {
            if (other.base > e.base && other.usable()) {
                return other;
            }
        }
        return null;
    }

    /** Why something is missing: a file that is of no use, where there is one. */
    private String missing(String otherwise) {
        String why = unusable.isEmpty() ? otherwise : String.join(", ", unusable);
        unusable.clear();
        return why;
    }

    /** One segment whose files and header are there. */
    private void part(Entry e, Entry next) throws IOException {
        records = new ArrayList<>();
        names.segment(e.header, e.base >= there.names.position());
        mend = e.headerDamaged;
        if (mend && e.base < forced) {
            damage.add(new Loss(position, sequence, position, sequence, e.name() + ": its header is damaged"));
        } else if (mend) {
            cut = new Cut(position, sequence, position, sequence);
            return;
        }
        if (mend) {
            // As far as the segment before tells.
            e.header = e.header.withStep(skew);
        }
        time = e.header.timeMillis();
        if (!parts.isEmpty()) {
            stepped(e.header.step() - skew);
        }
        headerSkew += e.header.step();
        skew = 0;
        boolean sealed = next != null && next.usable() && !next.headerDamaged && next.base <= forced;
        boolean silent =
                next != null && next.usable() && next.header.named() <= Math.max(there.names.position(), e.base);
        if (depth == Depth.START && sealed && silent && !mend && next.base - e.base <= e.streamLength) {
            position = next.base;
            sequence = next.header.sequence();
            time = next.header.timeMillis();
            skew = next.header.step();
            parts.add(part(e.header, -1, e.streamLength + e.indexLength, null));
            return;
        }
        int used = records(e);
        parts.add(part(e.header, used, e.streamLength + e.indexLength, mend ? records : null));
    }

    private Part part(SegmentHeader header, int used, long length, List<SealedRecord> mended) {
        return new Part(header, position, sequence, used, length, time, headerSkew + skew, mended);
    }

    /** What the clock has stepped by since the last mark, if it has. */
    private void stepped(long step) {
        if (step == 0) {
            return;
        }
        stepCount++;
        if (steps.size() == MOST_STEPS) {
            steps.removeFirst();
        }
        steps.add(new Step(sequence, step, time));
    }

    /** Walks through the records of a segment; answers how many slots they take. */
    private int records(Entry e) throws IOException {
        int used = 0;
        int slot = 0;
        boolean unread = false;
        try (IndexInput index = new IndexInput(disk, e.base, e.header.seed());
                Disk.File stream = disk.openToRead(FileNames.stream(e.base))) {
            while (index.next()) {
                slot++;
                IndexRecord record = index.record();
                if (record == null || !fits(record)) {
                    NameRecord name = record == null ? index.name() : null;
                    if (name != null && cut == null) {
                        names.add(name);
                    } else if (name == null) {
                        // The end, or damage, or torn: what comes behind it tells.
                        unread = true;
                        names.unreadable();
                    }
                    continue;
                }
                if (cut == null && record.kind() == Kind.FORCED) {
                    // It says nothing of where the records before it ended; behind what was forced they are torn.
                    if (unread && position >= forced) {
                        hole(position, sequence, "");
                    }
                } else if (cut == null && (unread || record.position() > position)) {
                    hole(record.position(), record.sequence(), e.name() + ": damaged before record " + slot);
                    unread = false;
                    names.readable();
                }
                String fault = cut == null && record.kind() == Kind.BLOCK ? fault(record, e, stream) : null;
                if (fault != null) {
                    String why = FileNames.stream(e.base) + ": the bytes of record " + slot + " " + fault;
                    hole(record.endPosition(), record.endSequence(), why);
                    if (cut == null) {
                        continue;
                    }
                }
                if (cut != null) {
                    cut = extended(record);
                    continue;
                }
                if (record.kind() != Kind.FORCED) {
                    records.addAll(names.block(record.endPosition()));
                }
                if (record.kind() == Kind.LOST) {
                    lost.add(new Loss(
                            record.position(),
                            record.sequence(),
                            record.endPosition(),
                            record.endSequence(),
                            "written off by a repair"));
                }
                records.add(record);
                time = record.timeMillis();
                stepped(record.skew() - skew);
                skew = record.skew();
                if (record.kind() != Kind.FORCED) {
                    position = record.endPosition();
                    sequence = record.endSequence();
                }
                used = slot;
            }
        }
        return used;
    }

    /** Whether a record may come where the walk stands, or behind it. */
    private boolean fits(IndexRecord record) {
        if (cut != null || record.kind() == Kind.FORCED) {
            return true;
        }
        return record.position() == position
                ? record.sequence() == sequence
                : record.position() > position && record.sequence() > sequence;
    }

    /** What is wrong with the bytes of a block; null: nothing. What was forced is believed at a start. */
    private String fault(IndexRecord block, Entry e, Disk.File stream) throws IOException {
        if (block.endPosition() - e.base > e.streamLength) {
            return "are not there";
        }
        if (depth == Depth.START && block.endPosition() <= forced) {
            return null;
        }
        checkedBytes += block.bytes();
        return block.fault(stream, e.base, piece);
    }

    /** Nothing is whole from where the walk stands to another place: damage, or where the tail is torn, or both. */
    private void hole(long to, long toSequence, String why) {
        if (position < forced) {
            boolean overForced = to > forced;
            Loss loss = new Loss(
                    position, sequence, overForced ? forced : to, overForced ? forcedSequence : toSequence, why);
            damage.add(loss);
            mend = true;
            if (!overForced) {
                records.addAll(names.lost(loss.endPosition()));
            }
            if (loss.endPosition() > loss.position()) {
                records.add(IndexRecord.lost(loss, time, skew));
            }
            position = loss.endPosition();
            sequence = loss.endSequence();
            if (!overForced) {
                return;
            }
        }
        cut = new Cut(position, sequence, position, sequence);
    }

    /** A hole behind a segment is written into its index. */
    private void mendLast() {
        if (mend && !parts.isEmpty()) {
            Part last = parts.remove(parts.size() - 1);
            parts.add(new Part(
                    last.header, position, sequence, last.records, last.length, last.timeMillis, last.skew, records));
        }
    }

    /** Everything of this entry and those behind it goes. */
    private void dropFrom(int from) throws IOException {
        for (Entry e : entries.subList(from, entries.size())) {
            if (e.index && e.header != null && !e.isGone(disk)) {
                try (IndexInput index = new IndexInput(disk, e.base, e.header.seed())) {
                    while (index.next()) {
                        IndexRecord record = index.record();
                        cut = record == null ? cut : extended(record);
                    }
                }
            }
            if (e.stream) {
                dropped.add(FileNames.stream(e.base));
            }
            if (e.index) {
                dropped.add(e.name());
            }
        }
    }

    private Cut extended(IndexRecord record) {
        return record.endPosition() <= cut.endPosition
                ? cut
                : new Cut(cut.position, cut.sequence, record.endPosition(), record.endSequence());
    }
}
