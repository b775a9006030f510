package dev.msgrelay.server.journal.format;

import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.journal.format.JournalName.Hole;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A record of an index about an acknowledged publisher: its name (NAME, one or more records), or the number of its last
 * message (MOVED). The record is written before the BLOCK with the messages, and counts only together with the BLOCK.
 * In each segment a name has a slot number, with which a MOVED refers to the name. Big-endian.
 *
 * <pre>
 *    0  kind: 4 NAME, 5 MOVED               int32
 *    4  slot                                int32
 *    8  NAME: offset, and length in all     2 * int32     MOVED: number of its last message     int64
 *   16  NAME: 44 bytes from the offset on                 MOVED: sequence of that message       int64
 *   60  CRC32C, as in every record
 *
 *   a name: producer id (16 bytes) | length of the name (int16) | name | identity     UTF-8
 *   with 0x8000 in the length: producer id | length | hole: from, next, sequence (3 * int64) | name | identity
 * </pre>
 */
public record NameRecord(Kind kind, int slot, int offset, int total, byte[] bytes, long number, long sequence)
        implements SealedRecord {
    /** Kinds, in the order of their codes: 4, 5. */
    public enum Kind {
        NAME,
        MOVED
    }

    private static final int FIRST_CODE = 4;
    private static final byte[] NO_BYTES = {};
    private static final int MOST_BYTES = CRC_OFFSET - 4 * Integer.BYTES;

    /** A flag in the length of the name, set if a hole precedes the name. */
    private static final int HAS_HOLE = 0x8000;

    private static final int HOLE_LENGTH = 3 * Long.BYTES;
    static final int MOST_TOTAL = 4096;

    public static NameRecord moved(int slot, long number, long sequence) {
        return new NameRecord(Kind.MOVED, slot, 0, 0, NO_BYTES, number, sequence);
    }

    public static List<NameRecord> of(int slot, JournalName name) {
        byte[] all = encode(name);
        List<NameRecord> records = new ArrayList<>();
        for (int at = 0; at < all.length; at += MOST_BYTES) {
            byte[] part = Arrays.copyOfRange(all, at, Math.min(all.length, at + MOST_BYTES));
            records.add(new NameRecord(Kind.NAME, slot, at, all.length, part, 0, 0));
        }
        return records;
    }

    @Override
    public void put(ByteBuffer target, long seed) {
        int at = target.position();
        target.putInt(FIRST_CODE + kind.ordinal()).putInt(slot);
        if (kind == Kind.MOVED) {
            target.putLong(number).putLong(sequence);
        } else {
            target.putInt(offset).putInt(total).put(bytes);
        }
        SealedRecord.seal(target, at, seed);
    }

    /** Reads the record at an offset; {@link SealedRecord#NONE} if it is of another kind, or its seal is wrong. */
    static SealedRecord read(ByteBuffer index, int at, long seed) {
        ByteBuffer fields = index.slice(at, LENGTH);
        int kind = fields.getInt() - FIRST_CODE;
        boolean moved = kind == Kind.MOVED.ordinal();
        if (!moved && kind != Kind.NAME.ordinal() || !SealedRecord.isSealed(index, at, seed)) {
            return NONE;
        }
        int slot = fields.getInt();
        if (moved) {
            return moved(slot, fields.getLong(), fields.getLong());
        }
        int offset = fields.getInt();
        int total = fields.getInt();
        if (total < 0 || total > MOST_TOTAL || offset < 0 || offset >= total) {
            return NONE;
        }
        byte[] part = new byte[Math.min(MOST_BYTES, total - offset)];
        fields.get(part);
        return new NameRecord(Kind.NAME, slot, offset, total, part, 0, 0);
    }

    static byte[] encode(JournalName name) {
        byte[] text = name.name().getBytes(StandardCharsets.UTF_8);
        byte[] owner = name.owner().getBytes(StandardCharsets.UTF_8);
        Hole hole = name.hole();
        boolean hasHole = !hole.equals(Hole.NONE);
        int holeLength = hasHole ? HOLE_LENGTH : 0;
        ByteBuffer all = ByteBuffer.allocate(ProducerId.LENGTH + Short.BYTES + holeLength + text.length + owner.length)
                .putLong(name.producer().high())
                .putLong(name.producer().low())
                .putShort((short) (hasHole ? text.length | HAS_HOLE : text.length));
        if (hasHole) {
            all.putLong(hole.from()).putLong(hole.next()).putLong(hole.sequence());
        }
        return all.put(text).put(owner).array();
    }

    /** Decodes a name; empty if the bytes are no name. */
    public static Optional<JournalName> decode(byte[] all) {
        ByteBuffer bytes = ByteBuffer.wrap(all);
        if (all.length < ProducerId.LENGTH + Short.BYTES) {
            return Optional.empty();
        }
        ProducerId producer = new ProducerId(bytes.getLong(), bytes.getLong());
        int said = bytes.getShort() & 0xFFFF;
        boolean hasHole = (said & HAS_HOLE) != 0;
        int length = said & ~HAS_HOLE;
        if (length + (hasHole ? HOLE_LENGTH : 0) > bytes.remaining()) {
            return Optional.empty();
        }
        Hole hole = hasHole ? new Hole(bytes.getLong(), bytes.getLong(), bytes.getLong()) : Hole.NONE;
        int at = bytes.position();
        return Optional.of(new JournalName(
                new String(all, at, length, StandardCharsets.UTF_8),
                producer,
                new String(all, at + length, all.length - at - length, StandardCharsets.UTF_8),
                hole));
    }
}
