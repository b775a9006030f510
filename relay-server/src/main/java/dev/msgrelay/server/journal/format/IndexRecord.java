package dev.msgrelay.server.journal.format;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.server.journal.disk.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * A record, in an index, about bytes of the stream. Big-endian.
 *
 * <pre>
 *    0  kind: 1 BLOCK, 2 FORCED, 3 LOST     int32
 *    4  CRC32C of the bytes (BLOCK)         int32
 *    8  position                            int64
 *   16  sequence                            int64
 *   24  end position                        int64
 *   32  end sequence                        int64
 *   40  time, ms since 1970                 int64
 *   48  steps of the clock since the
 *       header of the segment, in ms        int64
 *   56  0                                   int32
 *   60  CRC32C of epoch ^ base (int64) and the 60 bytes before
 * </pre>
 *
 * @param endPosition position after the last byte; this byte is the end of a frame
 * @param endSequence sequence of the message after the last one
 */
public record IndexRecord(
        Kind kind,
        int crc,
        long position,
        long sequence,
        long endPosition,
        long endSequence,
        long timeMillis,
        long skew)
        implements SealedRecord {
    /** The limit of a block, or a quarter of a small segment if less. The last packet or frame may exceed the limit. */
    public static final int MOST_BLOCK = 1 << 20;

    /** A position or sequence that no stream reaches. */
    static final long MOST = 1L << 62;

    /**
     * Messages that a journal has lost, from {@code sequence} (0: unknown) to {@code endSequence - 1}. {@code why} is
     * the reason, with the file's name.
     */
    public record Loss(long position, long sequence, long endPosition, long endSequence, String why) {
        /** Describes the loss: {@code messages 8 to 12 (positions 100 to 350): 000.index: record 3 is damaged}. */
        public String description() {
            String messages = endPosition == position
                    ? "no message"
                    : sequence == 0
                            ? "all messages before " + endSequence
                            : endSequence - sequence == 1
                                    ? "message " + sequence
                                    : "messages " + sequence + " to " + (endSequence - 1);
            return messages + " (positions " + position + " to " + endPosition + "): " + why;
        }
    }

    /** The kinds, in the order of their codes: 1, 2, 3. */
    public enum Kind {
        /** Bytes of the stream file, which are whole frames. */
        BLOCK,
        /** All bytes before the record's position, and their records, were forced before the record was written. */
        FORCED,
        /** Messages that were lost by damage. Written by a repair. */
        LOST
    }

    private static final List<Kind> KINDS = List.of(Kind.values());

    public static IndexRecord forced(long position, long sequence, long timeMillis, long skew) {
        return new IndexRecord(Kind.FORCED, 0, position, sequence, position, sequence, timeMillis, skew);
    }

    public static IndexRecord lost(Loss loss, long timeMillis, long skew) {
        return new IndexRecord(
                Kind.LOST, 0, loss.position, loss.sequence, loss.endPosition, loss.endSequence, timeMillis, skew);
    }

    public Loss loss(String why) {
        return new Loss(position, sequence, endPosition, endSequence, why);
    }

    /** Whether all fields are within their bounds, and no message is shorter than a frame's header. */
    private boolean isPossible() {
        boolean within = position >= 0 && sequence >= 0 && endPosition <= MOST && endSequence <= MOST;
        boolean grows = endPosition > position && endSequence > sequence;
        return kind == Kind.FORCED
                ? within && position <= MOST && sequence <= MOST
                : within && grows && endSequence - sequence <= (endPosition - position) / FrameLayout.HEADER_LENGTH;
    }

    public long bytes() {
        return endPosition - position;
    }

    /** The time minus the clock's steps. Within a segment this difference never decreases. */
    public long steady() {
        return JournalClock.minus(timeMillis, skew);
    }

    /** Describes what is wrong with a BLOCK's bytes in the stream file; empty: nothing. Reads into {@code piece}. */
    public Optional<String> fault(Disk.File stream, long base, ByteBuffer piece) throws IOException {
        CRC32C all = new CRC32C();
        FrameWalk frames = new FrameWalk();
        for (long at = position; at < endPosition; at += piece.limit()) {
            piece.clear().limit((int) Math.min(piece.capacity(), endPosition - at));
            stream.read(at - base, piece);
            if (piece.hasRemaining()) {
                return Optional.of("do not match");
            }
            frames.walk(piece.flip());
            all.update(piece);
        }
        if ((int) all.getValue() != crc) {
            return Optional.of("do not match");
        }
        return frames.found(endSequence - sequence)
                ? Optional.empty()
                : Optional.of("are no whole messages, or not so many");
    }

    @Override
    public void put(ByteBuffer target, long seed) {
        int at = target.position();
        target.putInt(kind.ordinal() + 1)
                .putInt(crc)
                .putLong(position)
                .putLong(sequence)
                .putLong(endPosition)
                .putLong(endSequence)
                .putLong(timeMillis)
                .putLong(skew);
        SealedRecord.seal(target, at, seed);
    }

    /** Reads the record at an offset; {@link SealedRecord#NONE} if it is of another kind, or its seal is wrong. */
    public static SealedRecord read(ByteBuffer index, int at, long seed) {
        ByteBuffer fields = index.slice(at, LENGTH);
        int code = fields.getInt();
        if (code < 1 || code > KINDS.size() || !SealedRecord.isSealed(index, at, seed)) {
            return NONE;
        }
        IndexRecord record = new IndexRecord(
                KINDS.get(code - 1),
                fields.getInt(),
                fields.getLong(),
                fields.getLong(),
                fields.getLong(),
                fields.getLong(),
                fields.getLong(),
                fields.getLong());
        return record.isPossible() ? record : NONE;
    }
}
