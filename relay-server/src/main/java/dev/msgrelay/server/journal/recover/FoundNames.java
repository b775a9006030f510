package dev.msgrelay.server.journal.recover;

import dev.msgrelay.server.journal.format.JournalName;
import dev.msgrelay.server.journal.format.NameRecord;
import dev.msgrelay.server.journal.format.NamesFile;
import dev.msgrelay.server.journal.format.SegmentHeader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The last message of each name, from the table of names and later index records. Records of names count only together
 * with the block that follows them.
 *
 * <pre>
 *   NAME  MOVED  (unreadable)  MOVED  BLOCK
 *   '--- sure ---'             '----- only if the block follows at once: another record may name its messages
 * </pre>
 *
 * One thread, segment by segment.
 */
final class FoundNames {
    private final Map<String, JournalName.State> states = new HashMap<>();
    private long named;

    // Records of the current segment whose block has not come yet, and the number of those before the first unreadable
    // record; -1: no record is unreadable.
    private final List<NameRecord> pending = new ArrayList<>();
    private int sure = -1;
    // Names by their slots, and the names of which not all parts have come yet.
    private final Map<Integer, JournalName> slots = new HashMap<>();
    private final Map<Integer, ByteBuffer> begun = new HashMap<>();
    private boolean counts;

    FoundNames(NamesFile table) {
        table.names().forEach(state -> states.put(state.name().name(), state));
    }

    /** @param later whether the segment begins at the table's position or later; only then its records count */
    void segment(SegmentHeader header, boolean later) {
        pending.clear();
        sure = -1;
        slots.clear();
        begun.clear();
        counts = later;
        named = Math.max(named, header.named());
    }

    void add(NameRecord record) {
        pending.add(record);
    }

    /** Notes an unreadable record, which may have been a record of a name. */
    void unreadable() {
        sure = sure < 0 ? pending.size() : sure;
    }

    /** Notes that the unreadable records were not records of names. */
    void readable() {
        sure = -1;
    }

    /** Makes all pending records count, because their block has come. Returns them. */
    List<NameRecord> block(long endPosition) {
        sure = -1;
        return count(pending.size(), endPosition);
    }

    /** Makes those pending records count that certainly belong to a lost block. Returns them. */
    List<NameRecord> lost(long endPosition) {
        return count(sure < 0 ? pending.size() : sure, endPosition);
    }

    private List<NameRecord> count(int first, long endPosition) {
        List<NameRecord> counted = List.copyOf(pending.subList(0, first));
        pending.subList(0, first).clear();
        for (NameRecord record : counted) {
            if (record.kind() == NameRecord.Kind.NAME) {
                gather(record);
            } else if (slots.containsKey(record.slot())) {
                named = endPosition;
                if (counts) {
                    JournalName name = slots.get(record.slot());
                    states.put(name.name(), new JournalName.State(name, record.number(), record.sequence()));
                }
            }
        }
        return counted;
    }

    private void gather(NameRecord record) {
        ByteBuffer all = record.offset() == 0
                ? ByteBuffer.allocate(record.total())
                : begun.getOrDefault(record.slot(), ByteBuffer.allocate(0));
        slots.remove(record.slot());
        if (all.position() != record.offset() || all.remaining() < record.bytes().length) {
            // An earlier part of the name is damaged. RecoveryWalk reports the damage.
            return;
        }
        all.put(record.bytes());
        begun.put(record.slot(), all);
        if (!all.hasRemaining()) {
            begun.remove(record.slot());
            NameRecord.decode(all.array()).ifPresent(name -> slots.put(record.slot(), name));
        }
    }

    List<JournalName.State> states() {
        return List.copyOf(states.values());
    }

    /** The end of the newest block with messages of a name; 0 if there is none. */
    long named() {
        return named;
    }
}
