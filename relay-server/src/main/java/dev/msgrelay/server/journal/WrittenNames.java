package dev.msgrelay.server.journal;

import dev.msgrelay.server.journal.format.JournalName;
import dev.msgrelay.server.journal.format.NameRecord;
import dev.msgrelay.server.journal.format.SealedRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * For each name of an acknowledged publisher, the number of its last message in the written part of the stream. A
 * block's {@link NameMoves} are recorded before the block, and count once the block is written.
 *
 * <pre>
 *   gatherMoves: the moves of the next block --> records: NAME, MOVED --> the block is written --> markWritten
 * </pre>
 *
 * Owned by the writer's thread.
 */
final class WrittenNames implements NameMoves.Sink {
    interface Target {
        void put(SealedRecord record) throws IOException;
    }

    private static final class Entry {
        JournalName.State written;
        // The state after the block that is now being written, and whether that block changes the state.
        JournalName name;
        long number;
        long sequence;
        boolean moves;
        // The name's slot in the segment with base saidIn, and the name as it was written in that segment.
        int slot;
        JournalName said;
        long saidIn = -1;
    }

    private final NameMoves moves;
    private final Map<String, Entry> entries = new HashMap<>();
    private final List<Entry> moving = new ArrayList<>();
    private long segment = -1;
    private int slots;

    WrittenNames(NameMoves moves, List<JournalName.State> known) {
        this.moves = moves;
        for (JournalName.State state : known) {
            Entry entry = new Entry();
            entry.written = state;
            entries.put(state.name().name(), entry);
        }
    }

    /** Gathers the moves of a block that ends before a sequence. Called once more if the block could not be written. */
    void gatherMoves(long endSequence) {
        moves.takeBefore(endSequence, this);
    }

    @Override
    public void reached(JournalName name, long number, long sequence) {
        Entry entry = entries.computeIfAbsent(name.name(), n -> new Entry());
        entry.name = name;
        entry.number = number;
        entry.sequence = sequence;
        if (!entry.moves) {
            entry.moves = true;
            moving.add(entry);
        }
    }

    boolean movesAny() {
        return !moving.isEmpty();
    }

    void records(long base, Target target) throws IOException {
        if (base != segment) {
            segment = base;
            slots = 0;
        }
        for (Entry entry : moving) {
            if (entry.saidIn != base || !entry.name.equals(entry.said)) {
                entry.slot = slots++;
                for (NameRecord record : NameRecord.of(entry.slot, entry.name)) {
                    target.put(record);
                }
            }
            target.put(NameRecord.moved(entry.slot, entry.number, entry.sequence));
        }
    }

    /** Called after the block was written. The block's moves become part of the written state. */
    void markWritten() {
        for (Entry entry : moving) {
            entry.moves = false;
            entry.said = entry.name;
            entry.saidIn = segment;
            entry.written = new JournalName.State(entry.name, entry.number, entry.sequence);
        }
        moving.clear();
        while (entries.size() > JournalName.MOST) {
            Entry oldest =
                    Collections.min(entries.values(), Comparator.comparingLong(entry -> entry.written.sequence()));
            entries.remove(oldest.written.name().name());
        }
    }

    List<JournalName.State> written() {
        return entries.values().stream()
                .map(entry -> entry.written)
                .filter(Objects::nonNull)
                .toList();
    }
}
