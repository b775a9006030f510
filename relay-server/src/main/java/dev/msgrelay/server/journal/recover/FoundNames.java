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
 * How far each name's messages are in what a recovery finds: the table of names, and behind it what the indexes say.
 * Records of names count with the block behind them.
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

    // Records of the current segment whose block has not come yet, and how many of them lie before the first one that
    // could not be read; -1: all of them.
    private final List<NameRecord> pending = new ArrayList<>();
    private int sure = -1;
    // Names by their slots, and those that have come in part.
    private final Map<Integer, JournalName> slots = new HashMap<>();
    private final Map<Integer, ByteBuffer> begun = new HashMap<>();
    private boolean tells;

    /** @param table holds the states at its position */
    FoundNames(NamesFile table) {
        table.names().forEach(state -> states.put(state.name().name(), state));
    }

    /** A segment begins; {@code tellsMore}: it is behind the table. */
    void segment(SegmentHeader header, boolean tellsMore) {
        pending.clear();
        sure = -1;
        slots.clear();
        begun.clear();
        tells = tellsMore;
        named = Math.max(named, header.named());
    }

    void add(NameRecord record) {
        pending.add(record);
    }

    /** A record cannot be read, and may have been one of these. */
    void unreadable() {
        sure = sure < 0 ? pending.size() : sure;
    }

    /** The records that could not be read were none of these. */
    void readable() {
        sure = -1;
    }

    /** The block has come: all pending records count. Returns them. */
    List<NameRecord> block(long endPosition) {
        sure = -1;
        return count(pending.size(), endPosition);
    }

    /** The block is lost: the pending records count that can only be its own. Returns them. */
    List<NameRecord> lost(long endPosition) {
        return count(sure < 0 ? pending.size() : sure, endPosition);
    }

    private List<NameRecord> count(int first, long endPosition) {
        List<NameRecord> counted = List.copyOf(pending.subList(0, first));
        pending.subList(0, first).clear();
        for (NameRecord record : counted) {
            if (record.kind() == NameRecord.Kind.NAME) {
                say(record);
            } else if (slots.containsKey(record.slot())) {
                named = endPosition;
                if (tells) {
                    JournalName name = slots.get(record.slot());
                    states.put(name.name(), new JournalName.State(name, record.number(), record.sequence()));
                }
            }
        }
        return counted;
    }

    private void say(NameRecord record) {
        ByteBuffer all = record.offset() == 0
                ? ByteBuffer.allocate(record.total())
                : begun.getOrDefault(record.slot(), ByteBuffer.allocate(0));
        slots.remove(record.slot());
        if (all.position() != record.offset() || all.remaining() < record.bytes().length) {
            // A part before it is damaged, which the walk reports.
            return;
        }
        all.put(record.bytes());
        begun.put(record.slot(), all);
        if (!all.hasRemaining()) {
            begun.remove(record.slot());
            NameRecord.decode(all.array()).ifPresent(name -> slots.put(record.slot(), name));
        }
    }

    /** In no order. */
    List<JournalName.State> states() {
        return List.copyOf(states.values());
    }

    /** Behind the newest block that moved a name; 0: there is none. */
    long named() {
        return named;
    }
}
