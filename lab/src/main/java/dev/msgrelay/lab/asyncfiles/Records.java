package dev.msgrelay.lab.asyncfiles;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What is written: records of {@value #SIZE} bytes, each its own number in a scrambled form, so that one that is lost,
 * repeated, torn or in another's place is noticed. The article writes the five bytes of "Hello" over and over, which would
 * show nothing of that.
 */
final class Records {
    static final int SIZE = Long.BYTES;

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;
    private static final int CHECKED_AT_ONCE = 8192;

    private Records() {}

    /** The bytes of record {@code number}, for one write; an array is behind it. */
    static ByteBuffer buffer(long number) {
        return ByteBuffer.allocate(SIZE).putLong(0, scrambled(number));
    }

    private static long scrambled(long number) {
        return (number + 1) * GOLDEN;
    }

    /**
     * What is wrong with a file that is to hold the records from 0 to {@code count}, in one line; null if nothing is.
     */
    static String problem(Path file, long count) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long size = channel.size();
            ByteBuffer want = ByteBuffer.allocate(CHECKED_AT_ONCE * SIZE);
            ByteBuffer block = ByteBuffer.allocate(CHECKED_AT_ONCE * SIZE);
            for (long from = 0; from < count; from += CHECKED_AT_ONCE) {
                fill(want, from, Math.min(CHECKED_AT_ONCE, count - from));
                read(channel, block.clear().limit(want.limit()), from * SIZE);
                int wrong = want.mismatch(block.flip());
                if (wrong >= 0) {
                    return "record " + (from + wrong / SIZE) + " of " + count
                            + (wrong >= block.limit() ? " is missing" : " is not in its place");
                }
            }
            return size == count * SIZE ? null : "the file has " + size + " bytes instead of " + count * SIZE;
        }
    }

    private static void fill(ByteBuffer block, long from, long count) {
        block.clear().order(ByteOrder.BIG_ENDIAN);
        for (long i = 0; i < count; i++) {
            block.putLong(scrambled(from + i));
        }
        block.flip();
    }

    private static void read(FileChannel channel, ByteBuffer block, long position) throws IOException {
        long at = position;
        int read = channel.read(block, at);
        while (read >= 0 && block.hasRemaining()) {
            at += read;
            read = channel.read(block, at);
        }
    }
}
