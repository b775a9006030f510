package dev.msgrelay.server.journal.format;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.format.SnapshotFile.Unsound;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Reads a snapshot of the state, block by block, in either direction. A message is seen only after the sum of its block
 * was found right, and the whole chain of blocks only by the end of the last one. One thread.
 *
 * <pre>
 *   front | block | block | block |
 *           newest         oldest      next(): length of a block; read(): its messages; next(): 0 behind the last
 * </pre>
 */
public final class SnapshotReader implements Closeable {
    /** Bytes of the longest block that a message has for itself. */
    private static final int LONGEST = SnapshotFile.FRAME + FrameLayout.frameLength(FrameLayout.MAX_MAX_BODY);

    private final Disk.File file;
    private final SnapshotFile front;
    private final boolean oldestFirst;
    private final int frontLength;
    private final ByteBuffer head = ByteBuffer.allocate(SnapshotFile.BLOCK_HEADER);
    private final CRC32C crc = new CRC32C();
    // The current block: its offset, and its fields. With at = 0 there is none yet.
    private long at;
    private long before;
    private long first;
    private long last;
    private int count;
    private int length;
    private long messages;

    /**
     * @param oldestFirst whether the last block comes first
     * @throws Unsound the file cannot be used
     * @throws IOException there is no such file, or it cannot be read
     */
    public SnapshotReader(Disk disk, boolean oldestFirst) throws IOException {
        this.oldestFirst = oldestFirst;
        file = disk.openToRead(FileNames.STATE);
        try {
            front = SnapshotFile.read(file);
        } catch (IOException e) {
            file.close();
            throw e;
        }
        frontLength = SnapshotFile.frontLength(front.types());
    }

    public SnapshotFile front() {
        return front;
    }

    /** The current block's offset; 0 before the first one. */
    public long at() {
        return at;
    }

    /** The number of the current block's last message. */
    public long last() {
        return last;
    }

    /** Goes to the next block, and returns the bytes of its messages; 0 if there is none. */
    public int next() throws IOException {
        return oldestFirst ? older() : newer();
    }

    /** Goes on towards the end of the file. */
    private int newer() throws IOException {
        long previous = at;
        long bound = previous == 0 ? front.sequence() : first;
        long end = previous == 0 ? frontLength : end();
        if (end == front.length()) {
            check(previous == front.lastBlock() && messages == front.messages());
            return 0;
        }
        header(end);
        check(before == previous && last < bound);
        return length;
    }

    /** Goes on towards the beginning of the file. */
    private int older() throws IOException {
        long end = at == 0 ? front.length() : at;
        long bound = at == 0 ? 0 : last;
        long next = at == 0 ? front.lastBlock() : before;
        if (next == 0) {
            check(end == frontLength && messages == front.messages());
            return 0;
        }
        header(next);
        check(end() == end && before < at && first > bound);
        return length;
    }

    private long end() {
        return at + SnapshotFile.BLOCK_HEADER + length;
    }

    private void header(long offset) throws IOException {
        at = offset;
        check(at >= frontLength && at <= front.length() - SnapshotFile.BLOCK_HEADER);
        file.read(at, head.clear());
        check(!head.hasRemaining());
        head.flip();
        before = head.getLong();
        first = head.getLong();
        last = head.getLong();
        count = head.getInt();
        length = head.getInt();
        messages += count;
        check(before >= 0
                && first > front.forgotten()
                && first <= last
                && last < front.sequence()
                && count > 0
                && length > 0
                && (length <= SnapshotWriter.MEMORY_BYTES || count == 1 && length <= LONGEST)
                && length <= front.length() - at - SnapshotFile.BLOCK_HEADER);
    }

    /** Reads the current block's messages to the beginning of a buffer with room for them. */
    public void read(ByteBuffer page) throws IOException {
        file.read(at + SnapshotFile.BLOCK_HEADER, page.clear().limit(length));
        check(!page.hasRemaining());
        crc.reset();
        crc.update(head.slice(0, SnapshotFile.BLOCK_CRC));
        crc.update(page.flip());
        page.rewind();
        check((int) crc.getValue() == head.getInt(SnapshotFile.BLOCK_CRC));
        check(isWhole(page.duplicate()));
    }

    /** Checks the current block, which is one message, for a buffer without room for all of it. */
    public void check(ByteBuffer piece) throws IOException {
        crc.reset();
        crc.update(head.slice(0, SnapshotFile.BLOCK_CRC));
        for (int done = 0; done < length; done += piece.limit()) {
            piece.clear().limit(Math.min(piece.capacity(), length - done));
            file.read(at + SnapshotFile.BLOCK_HEADER + done, piece);
            check(!piece.hasRemaining());
            check(done > 0 || isOne(piece.duplicate()));
            crc.update(piece.flip());
        }
        check((int) crc.getValue() == head.getInt(SnapshotFile.BLOCK_CRC));
    }

    private boolean isOne(ByteBuffer front) {
        return first == last
                && front.getLong(0) == first
                && !ControlFrames.isControl(FrameLayout.type(front, SnapshotFile.FRAME))
                && FrameLayout.bodyLength(front, SnapshotFile.FRAME)
                        == length - SnapshotFile.FRAME - FrameLayout.HEADER_LENGTH;
    }

    private boolean isWhole(ByteBuffer messages) {
        long number = first - 1;
        int found = 0;
        int offset = 0;
        while (length - offset >= SnapshotFile.FRAME + FrameLayout.HEADER_LENGTH) {
            long next = messages.getLong(offset);
            int frame = offset + SnapshotFile.FRAME;
            int body = FrameLayout.bodyLength(messages, frame);
            int room = length - frame - FrameLayout.HEADER_LENGTH;
            if (next <= number
                    || found == 0 && next != first
                    || ControlFrames.isControl(FrameLayout.type(messages, frame))
                    || body < 0
                    || body > Math.min(room, FrameLayout.MAX_MAX_BODY)) {
                return false;
            }
            number = next;
            found++;
            offset = frame + FrameLayout.frameLength(body);
        }
        return offset == length && found == count && number == last;
    }

    private void check(boolean right) throws Unsound {
        if (!right) {
            throw new Unsound("is damaged at byte " + at);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
