package dev.msgrelay.server.journal.format;

import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.journal.disk.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The front of a snapshot of the state: the newest message of each type before a place of the stream, which is the
 * beginning of a segment. The file is replaced as a whole. Its blocks run from the newest messages to the oldest, as
 * {@link SnapshotWriter} finds them; within a block the oldest message is the first. Big-endian.
 *
 * <pre>
 *    0  magic "RELAYSTA"                                     int64
 *    8  version                                              int32
 *   12  bytes of the types' text                             int32
 *   16  epoch of the segment that begins at the place        int64
 *   24  the place: position                                  int64
 *   32  the place: sequence of the next message              int64
 *   40  highest number of a value that may be missing        int64
 *   48  the same of a tombstone                              int64
 *   56  bytes of memory of the state (--state)               int64
 *   64  number of messages                                   int64
 *   72  offset of the last block; 0: there is none           int64
 *   80  bytes of the file                                    int64
 *   88  the types that the state had, as text
 *       CRC32C of all bytes before                           int32
 *
 *   block:
 *    0  offset of the block in front of this one; 0: none    int64
 *    8  number of its first message                          int64
 *   16  number of its last message                           int64
 *   24  number of messages                                   int32
 *   28  bytes of them                                        int32
 *   32  0                                                    int32
 *   36  CRC32C of the 36 bytes before, and of the messages   int32
 *   40  for each: its number (int64), and its frame
 * </pre>
 *
 * @param forgottenValue 0: no value is missing. All messages of the snapshot have higher numbers
 * @param forgottenTombstone at least forgottenValue: with a value, all older tombstones are forgotten
 */
public record SnapshotFile(
        long epoch,
        long position,
        long sequence,
        long forgottenValue,
        long forgottenTombstone,
        long size,
        long messages,
        long lastBlock,
        long length,
        TypeRanges types) {
    static final int BLOCK_HEADER = 40;
    static final int BLOCK_CRC = BLOCK_HEADER - Integer.BYTES;

    /** Offset of the frame in an entry of a block. */
    public static final int FRAME = Long.BYTES;

    private static final long MAGIC = 0x52454C4159535441L;
    private static final int FIXED = 88;
    private static final int MOST_TEXT = TypeRanges.MAX_RANGES * 24;

    /** A snapshot cannot be used. The message is for people, and goes on after the file's name. */
    public static final class Unsound extends IOException {
        private static final long serialVersionUID = 1L;

        Unsound(String message) {
            super(message);
        }
    }

    private static byte[] text(TypeRanges types) {
        return types.toString().getBytes(StandardCharsets.US_ASCII);
    }

    static int frontLength(TypeRanges types) {
        return FIXED + text(types).length + Integer.BYTES;
    }

    ByteBuffer front() {
        byte[] text = text(types);
        ByteBuffer front = ByteBuffer.allocate(FIXED + text.length + Integer.BYTES)
                .putLong(MAGIC)
                .putInt(SegmentHeader.VERSION)
                .putInt(text.length)
                .putLong(epoch)
                .putLong(position)
                .putLong(sequence)
                .putLong(forgottenValue)
                .putLong(forgottenTombstone)
                .putLong(size)
                .putLong(messages)
                .putLong(lastBlock)
                .putLong(length)
                .put(text);
        return front.putInt(SealedRecord.crc(front.slice(0, front.position()))).flip();
    }

    /** @throws Unsound the file is torn, damaged, of another version, or no snapshot */
    static SnapshotFile read(Disk.File file) throws IOException {
        ByteBuffer fixed = ByteBuffer.allocate(FIXED);
        file.read(0, fixed);
        if (fixed.hasRemaining() || fixed.getLong(0) != MAGIC) {
            throw new Unsound("is torn, or no snapshot");
        }
        int version = fixed.getInt(Long.BYTES);
        if (version != SegmentHeader.VERSION) {
            throw new Unsound("is of format " + version + ", this relay reads format " + SegmentHeader.VERSION);
        }
        int textLength = fixed.getInt(Long.BYTES + Integer.BYTES);
        if (textLength < 0 || textLength > MOST_TEXT) {
            throw new Unsound("is damaged: its front is not whole");
        }
        ByteBuffer front = ByteBuffer.allocate(FIXED + textLength + Integer.BYTES);
        file.read(0, front);
        int end = FIXED + textLength;
        if (front.hasRemaining() || front.getInt(end) != SealedRecord.crc(front.slice(0, end))) {
            throw new Unsound("is damaged: its front is not whole");
        }
        SnapshotFile read = decode(front.flip(), textLength);
        if (file.length() != read.length) {
            throw new Unsound("is torn: it has " + file.length() + " bytes, and should have " + read.length);
        }
        return read;
    }

    private static SnapshotFile decode(ByteBuffer front, int textLength) throws Unsound {
        String text = new String(front.array(), FIXED, textLength, StandardCharsets.US_ASCII);
        ByteBuffer fields = front.position(2 * Long.BYTES);
        try {
            SnapshotFile read = new SnapshotFile(
                    fields.getLong(),
                    fields.getLong(),
                    fields.getLong(),
                    fields.getLong(),
                    fields.getLong(),
                    fields.getLong(),
                    fields.getLong(),
                    fields.getLong(),
                    fields.getLong(),
                    TypeRanges.parse(text));
            if (read.isPossible()) {
                return read;
            }
        } catch (IllegalArgumentException wrongTypes) {
            // A right sum over wrong fields: a faulty writer.
        }
        throw new Unsound("is damaged: its front is not possible");
    }

    private boolean isPossible() {
        return position >= 0
                && position <= IndexRecord.MOST
                && sequence > 0
                && sequence <= IndexRecord.MOST
                && forgottenValue >= 0
                && forgottenTombstone >= forgottenValue
                && forgottenTombstone < sequence
                && messages >= 0
                && messages < sequence
                && (lastBlock == 0) == (messages == 0)
                && lastBlock >= 0
                && lastBlock < length;
    }

    /** Highest number that a message which is missing may have; 0: none is missing. */
    public long forgotten() {
        return forgottenTombstone;
    }

    /**
     * Says why this is no snapshot of a journal's stream; empty if it is one.
     *
     * @param epochs the lives of the stream
     * @param endPosition end of the journal
     * @param there the segment that begins where the snapshot ends, if that segment is known
     */
    public Optional<String> strange(
            EpochTable epochs, long endPosition, long endSequence, Optional<SegmentHeader> there) {
        if (!epochs.has(epoch)) {
            return Optional.of("is of another journal: its epoch " + Long.toHexString(epoch) + " is not known here");
        }
        if (sequence > epochs.forkOf(epoch)) {
            return Optional.of("is of another journal: it goes up to message " + (sequence - 1) + ", and message "
                    + epochs.forkOf(epoch) + " is another one here");
        }
        if (position > endPosition || sequence > endSequence) {
            return Optional.of("is of another journal: it goes up to message " + (sequence - 1)
                    + ", and the journal up to message " + (endSequence - 1));
        }
        return there.filter(header -> header.sequence() != sequence)
                .map(header -> "is of another journal: its message " + sequence + " is message " + header.sequence()
                        + " here");
    }
}
