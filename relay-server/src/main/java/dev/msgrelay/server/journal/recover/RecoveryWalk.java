package dev.msgrelay.server.journal.recover;

import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.format.FileNames;
import dev.msgrelay.server.journal.format.IndexCursor;
import dev.msgrelay.server.journal.format.IndexRecord;
import dev.msgrelay.server.journal.format.IndexRecord.Kind;
import dev.msgrelay.server.journal.format.IndexRecord.Loss;
import dev.msgrelay.server.journal.format.NameRecord;
import dev.msgrelay.server.journal.format.SealedRecord;
import dev.msgrelay.server.journal.format.SegmentHeader;
import dev.msgrelay.server.journal.recover.Listing.Entry;
import dev.msgrelay.server.journal.recover.Listing.Header;
import dev.msgrelay.server.journal.recover.Recovery.Cut;
import dev.msgrelay.server.journal.recover.Recovery.Depth;
import dev.msgrelay.server.journal.recover.Recovery.Part;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Walks over the segments of a directory, record by record, and distinguishes damage from a torn tail.
 *
 * <pre>
 *   | segment | segment | segment | segment |
 *                            ^ forced: the last FORCED record, or the table of epochs
 *   |------ a fault: damage -|-- the first fault begins a torn tail: the stream ends here
 * </pre>
 *
 * All bytes before {@code forced} were on the disk once, so a fault there is damage. After {@code forced} a crash may
 * leave old and new bytes, and later records without earlier ones. Whole blocks up to the first hole are kept.
 *
 * <p>A running relay may drop its oldest segments during the walk. A segment that is gone after it was read is left out
 * of the result.
 *
 * <p>Used by one thread, for one walk.
 */
final class RecoveryWalk {
    static final int PIECE = 1 << 20;

    private final Disk disk;
    private final Depth depth;
    private final Listing there;
    private final long forced;
    private final long forcedSequence;
    private final ByteBuffer piece = ByteBuffer.allocate(PIECE);
    private final FoundNames names;
    private FoundClock clock = new FoundClock();
    // The position of the walk.
    private long position;
    private long sequence;
    private final List<Part> parts = new ArrayList<>();
    private final List<Loss> damage = new ArrayList<>();
    private final List<Loss> lost = new ArrayList<>();
    private final List<String> dropped = new ArrayList<>();
    private final List<String> aside = new ArrayList<>();
    // Faults of the unusable segments since the last usable one.
    private final List<String> unusable = new ArrayList<>();
    private long checkedBytes;
    // Whether a torn tail begins at the position of the walk; and the end of the records in the tail.
    private boolean torn;
    private long tornEnd;
    private long tornEndSequence;
    // The current segment's whole records, and whether a repair must write them to a new index.
    private List<SealedRecord> records = new ArrayList<>();
    private boolean mend;

    RecoveryWalk(Disk disk, Depth depth, Listing there) {
        this.disk = disk;
        this.depth = depth;
        this.there = there;
        forced = there.forced;
        forcedSequence = there.forcedSequence;
        names = new FoundNames(there.names);
    }

    /** @param snapshot the snapshot of the state, which was read before */
    Recovery run(FoundSnapshot snapshot) throws IOException {
        position = forced;
        sequence = forcedSequence;
        for (int i = 0; i < there.entries.size() && !torn; i++) {
            Entry e = there.entries.get(i);
            List<Entry> behind = there.entries.subList(i + 1, there.entries.size());
            if (!e.readUnlessDropped(disk, () -> entry(e, behind))) {
                startAnew();
            } else if (torn) {
                dropFrom(parts.isEmpty() || parts.get(parts.size() - 1).header().base() != e.base ? i : i + 1);
            }
        }
        if (!torn && position < forced) {
            missingUntilForced();
        }
        // If all segments that were listed are gone, the end of the journal is not known.
        boolean endIsKnown = !there.epochsDamaged && !(there.droppedMeanwhile && parts.isEmpty());
        return new Recovery(
                position,
                sequence,
                forced,
                there.epochs,
                there.epochsDamaged,
                names.states(),
                names.named(),
                there.names.position(),
                there.namesDamaged(parts, position),
                parts,
                damage,
                lost,
                torn ? Optional.of(new Cut(position, sequence, tornEnd, tornEndSequence)) : Optional.empty(),
                dropped,
                aside,
                there.leftovers,
                clock.steps(),
                clock.stepCount(),
                checkedBytes,
                endIsKnown ? snapshot.within(there.epochs, position, sequence, this::headerAt) : snapshot);
    }

    private Optional<SegmentHeader> headerAt(long base) {
        return parts.stream()
                .map(Part::header)
                .filter(header -> header.base() == base)
                .findFirst();
    }

    private void entry(Entry e, List<Entry> behind) throws IOException {
        boolean first = parts.isEmpty();
        if (!e.usable() || !first && e.base < position) {
            unusable(e, first, behind);
            return;
        }
        if (first) {
            // Earlier segments were dropped by the relay, or are unusable and were added to the damage.
            position = e.base;
            sequence = e.header.sequence();
        } else if (e.base > position || e.header.sequence() != sequence) {
            hole(e.base, e.header.sequence(), missing("what lies before " + e.name() + " is missing"));
            mendLast();
        }
        if (!torn) {
            part(e, behind);
        }
    }

    /** Forgets a segment that a running relay has dropped, and all earlier ones. */
    private void startAnew() {
        there.droppedMeanwhile = true;
        parts.clear();
        damage.clear();
        lost.clear();
        aside.clear();
        unusable.clear();
        clock = new FoundClock();
        mend = false;
        torn = false;
        position = forced;
        sequence = forcedSequence;
    }

    private void missingUntilForced() {
        hole(forced, forcedSequence, missing("the end is missing"));
        mendLast();
    }

    private void unusable(Entry e, boolean first, List<Entry> behind) {
        String why = !e.stream
                ? FileNames.stream(e.base) + " is missing"
                : !e.index
                        ? e.name() + " is missing"
                        : e.state == Header.NONE ? e.name() + ": nothing of it is whole" : e.name() + " overlaps";
        if (e.base >= forced) {
            if (position < forced) {
                missingUntilForced();
            }
            tear();
            return;
        }
        if (first) {
            Optional<Entry> next = behind.stream().filter(Entry::usable).findFirst();
            long to = next.map(later -> later.base).orElse(forced);
            long toSequence = next.map(later -> later.header.sequence()).orElse(forcedSequence);
            damage.add(new Loss(e.base, 0, to, toSequence, why));
        } else if (e.base < position) {
            damage.add(new Loss(position, sequence, position, sequence, why));
        } else {
            unusable.add(why);
        }
        e.addFilesTo(aside);
    }

    /** The reason why messages are missing: unusable files, or {@code otherwise} if there are none. */
    private String missing(String otherwise) {
        String why = unusable.isEmpty() ? otherwise : String.join(", ", unusable);
        unusable.clear();
        return why;
    }

    private void part(Entry e, List<Entry> behind) throws IOException {
        records = new ArrayList<>();
        names.segment(e.header, e.base >= there.names.position());
        mend = e.state == Header.DAMAGED;
        if (mend && e.base >= forced) {
            tear();
            return;
        }
        if (mend) {
            damage.add(new Loss(position, sequence, position, sequence, e.name() + ": its header is damaged"));
            // A damaged header does not show the steps of the clock since the previous header. They are taken from the
            // records of the previous segment.
            e.header = e.header.withStep(clock.skew());
        }
        clock.segment(e.header, parts.isEmpty(), sequence);
        int used = -1;
        if (mayPass(e, behind)) {
            Entry next = behind.get(0);
            position = next.base;
            sequence = next.header.sequence();
            clock.reach(next.header.timeMillis(), next.header.step());
        } else {
            used = records(e);
        }
        long length = e.streamLength + e.indexLength;
        parts.add(new Part(e.header, position, sequence, used, length, clock.time(), clock.allSteps(), mended()));
    }

    private Optional<List<SealedRecord>> mended() {
        return mend ? Optional.of(records) : Optional.empty();
    }

    /** Whether a start may skip the records of this segment, and trust the next segment's header. */
    private boolean mayPass(Entry e, List<Entry> behind) {
        if (depth != Depth.START || mend || behind.isEmpty()) {
            return false;
        }
        Entry next = behind.get(0);
        return next.stream
                && next.state == Header.WHOLE
                && next.base <= forced
                && next.base - e.base <= e.streamLength
                && next.header.named() <= Math.max(there.names.position(), e.base);
    }

    /** Walks over the records of a segment. Returns the number of slots in use. */
    private int records(Entry e) throws IOException {
        int used = 0;
        boolean unread = false;
        try (IndexCursor index = new IndexCursor(disk, e.base, e.header.seed());
                Disk.File stream = disk.openToRead(FileNames.stream(e.base))) {
            while (index.next()) {
                int number = index.slot() + 1;
                SealedRecord slot = index.record();
                if (slot instanceof NameRecord name) {
                    if (!torn) {
                        names.add(name);
                    }
                    continue;
                }
                if (!(slot instanceof IndexRecord record) || !fits(record)) {
                    // The slot may be the end, damage, or part of a torn tail. The next record decides.
                    unread = true;
                    names.unreadable();
                    continue;
                }
                if (torn) {
                    extendTail(record);
                    continue;
                }
                if (record.kind() == Kind.FORCED) {
                    // A FORCED record does not show how many bytes the unreadable records before it covered, so the
                    // torn tail begins here.
                    if (unread && position >= forced) {
                        hole(position, sequence, "");
                    }
                } else if (unread || record.position() > position) {
                    hole(record.position(), record.sequence(), e.name() + ": damaged before record " + number);
                    unread = false;
                    names.readable();
                }
                Optional<String> fault =
                        !torn && record.kind() == Kind.BLOCK ? fault(record, e, stream) : Optional.empty();
                if (fault.isPresent()) {
                    String why = FileNames.stream(e.base) + ": the bytes of record " + number + " " + fault.get();
                    hole(record.endPosition(), record.endSequence(), why);
                }
                if (torn) {
                    extendTail(record);
                } else if (fault.isEmpty()) {
                    append(record);
                    used = number;
                }
            }
        }
        return used;
    }

    private void append(IndexRecord record) {
        clock.record(record, sequence);
        if (record.kind() == Kind.LOST) {
            lost.add(record.loss("written off by a repair"));
        }
        if (record.kind() != Kind.FORCED) {
            records.addAll(names.block(record.endPosition()));
            position = record.endPosition();
            sequence = record.endSequence();
        }
        records.add(record);
    }

    private boolean fits(IndexRecord record) {
        if (torn || record.kind() == Kind.FORCED) {
            return true;
        }
        return record.position() == position
                ? record.sequence() == sequence
                : record.position() > position && record.sequence() > sequence;
    }

    /** The fault of a block's bytes, in words; empty if there is none. At a start, forced bytes are not checked. */
    private Optional<String> fault(IndexRecord block, Entry e, Disk.File stream) throws IOException {
        if (block.endPosition() - e.base > e.streamLength) {
            return Optional.of("are not there");
        }
        if (depth == Depth.START && block.endPosition() <= forced) {
            return Optional.empty();
        }
        checkedBytes += block.bytes();
        return block.fault(stream, e.base, piece);
    }

    /** Handles a hole from the position of the walk up to {@code to}. The hole is damage, a torn tail, or both. */
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
                records.add(IndexRecord.lost(loss, clock.time(), clock.skew()));
            }
            position = loss.endPosition();
            sequence = loss.endSequence();
            if (!overForced) {
                return;
            }
        }
        tear();
    }

    private void tear() {
        torn = true;
        tornEnd = position;
        tornEndSequence = sequence;
    }

    private void extendTail(IndexRecord record) {
        if (record.endPosition() > tornEnd) {
            tornEnd = record.endPosition();
            tornEndSequence = record.endSequence();
        }
    }

    /** Adds a hole after the last segment to that segment's records. */
    private void mendLast() {
        if (mend && !parts.isEmpty()) {
            Part old = parts.remove(parts.size() - 1);
            SegmentHeader header = old.header();
            parts.add(new Part(
                    header, position, sequence, old.records(), old.length(), old.timeMillis(), old.skew(), mended()));
        }
    }

    private void dropFrom(int from) throws IOException {
        for (Entry e : there.entries.subList(from, there.entries.size())) {
            if (e.index && e.state != Header.NONE) {
                e.readUnlessDropped(disk, () -> extendTail(e));
            }
            e.addFilesTo(dropped);
        }
    }

    private void extendTail(Entry e) throws IOException {
        try (IndexCursor index = new IndexCursor(disk, e.base, e.header.seed())) {
            while (index.next()) {
                if (index.record() instanceof IndexRecord record) {
                    extendTail(record);
                }
            }
        }
    }
}
