package dev.msgrelay.server.journal;

import dev.msgrelay.server.journal.format.JournalName;
import dev.msgrelay.server.journal.format.NameRecord;
import dev.msgrelay.server.journal.format.SealedRecord;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * How far each name is in what is written: the journal's writer has it beside the stream. What a block moves is written
 * down before the block, and counts once the block is.
 *
 * <pre>
 *   gatherMoves(sequence): what the next block moves --> records: NAME, MOVED --> the block is written --> markWritten
 * </pre>
 *
 * Owned by the writer's thread.
 */
final class WrittenNames implements NameMoves.Sink {
    private static final class Entry {
        // The written state; none before the first block.
        JournalName.State written;
        // The state once the present block is written.
        JournalName name;
        long number;
        long sequence;
        boolean moves;
        // The slot of the name in the segment, and the name that the segment has there.
        int slot;
        JournalName said;
        long saidIn = -1;
    }

    private final NameMoves moves;
    private final Map<String, Entry> entries = new HashMap<>();
    private final List<Entry> moving = new ArrayList<>();
    private long segment = -1;
    private int slots;

    /** @param known states that were found when the journal was opened */
    WrittenNames(NameMoves moves, List<JournalName.State> known) {
        this.moves = moves;
        for (JournalName.State state : known) {
            Entry entry = new Entry();
            entry.written = state;
            entries.put(state.name().name(), entry);
        }
    }

    /**
     * Gathers the moves of a block that ends before a message. A block may be tried again, with the same end or a later
     * one.
     */
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

    /** Hands out the records that go before the block. */
    void records(long base, Consumer<SealedRecord> target) {
        if (base != segment) {
            segment = base;
            slots = 0;
        }
        for (Entry entry : moving) {
            if (entry.saidIn != base || !entry.name.equals(entry.said)) {
                entry.slot = slots++;
                NameRecord.of(entry.slot, entry.name).forEach(target);
            }
            target.accept(NameRecord.moved(entry.slot, entry.number, entry.sequence));
        }
    }

    /** Makes the gathered moves the written state: the block is written. */
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

    /** The states that are written, in no order. */
    List<JournalName.State> written() {
        return entries.values().stream()
                .map(entry -> entry.written)
                .filter(Objects::nonNull)
                .toList();
    }
}
