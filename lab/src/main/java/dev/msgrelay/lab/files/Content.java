package dev.msgrelay.lab.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The content of a file: the byte at position {@code i} is {@code (byte) (i + seed)}. The article always writes
 * {@code (byte) i}; with another seed for every loop, a loop that writes nothing cannot pass for one that did because the
 * last one's bytes are still there.
 *
 * @param size in bytes
 */
record Content(long size, int seed) {
    private static final int CYCLE = 256;
    private static final int SUM_OF_CYCLE = -128;

    /** A multiple of the cycle: so every block of the file is to look the same. */
    private static final int BLOCK = CYCLE * 1024;

    byte at(long position) {
        return (byte) (position + seed);
    }

    /** The article's checksum of it: the sum of all bytes, each with its sign, as an int that may overflow. */
    int checkSum() {
        int sum = (int) (size / CYCLE * SUM_OF_CYCLE);
        for (long i = size - size % CYCLE; i < size; i++) {
            sum += at(i);
        }
        return sum;
    }

    /**
     * Compares a file with it, byte by byte, in a way that no contestant uses.
     *
     * @return what is wrong with the file, in one line; null if nothing is
     */
    String problem(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            if (channel.size() != size) {
                return "the file has " + channel.size() + " bytes instead of " + size;
            }
            byte[] expected = new byte[(int) Math.min(BLOCK, size)];
            for (int i = 0; i < expected.length; i++) {
                expected[i] = at(i);
            }
            ByteBuffer want = ByteBuffer.wrap(expected);
            ByteBuffer block = ByteBuffer.allocate(expected.length);
            for (long at = 0; at < size; at += block.limit()) {
                block.clear().limit((int) Math.min(block.capacity(), size - at));
                while (block.hasRemaining()) {
                    if (channel.read(block) < 0) {
                        throw new IOException("the file became shorter while it was checked");
                    }
                }
                int wrong = want.limit(block.limit()).mismatch(block.flip());
                if (wrong >= 0) {
                    return "byte " + (at + wrong) + " of the file is " + block.get(wrong) + " instead of "
                            + at(at + wrong);
                }
            }
            return null;
        }
    }
}
