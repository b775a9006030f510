package dev.msgrelay.lab.asyncfiles;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What is written: records of {@value #SIZE} bytes, each its own number in a scrambled form, so that one that is lost,
 * repeated, torn or in another's place is noticed. The article writes the five bytes of "Hello" over and over, which would
 * show nothing of that.
 */
final class Records {
    static final int SIZE = Long.BYTES;

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;
    private static final int BUFFER = 64 << 10;

    private Records() {}

    /** The bytes of record {@code number}, for one write; an array is behind it. */
    static ByteBuffer buffer(long number) {
        return ByteBuffer.allocate(SIZE).putLong(0, scrambled(number));
    }

    private static long scrambled(long number) {
        return (number + 1) * GOLDEN;
    }

    /** The first fault of a file that is to hold so many records, in one line; null if there is none. */
    static String problem(Path file, long count) throws IOException {
        long size = Files.size(file);
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file), BUFFER))) {
            for (long number = 0; number < count; number++) {
                if ((number + 1) * SIZE > size) {
                    return "record " + number + " of " + count + " is missing";
                }
                if (in.readLong() != scrambled(number)) {
                    return "record " + number + " of " + count + " is not in its place";
                }
            }
        }
        return size == count * SIZE ? null : "the file has " + size + " bytes instead of " + count * SIZE;
    }
}
