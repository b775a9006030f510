package dev.msgrelay.lab.asyncfiles;

import dev.msgrelay.lab.WrongResultException;
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

    private Records() {}

    /** The bytes of record {@code number}, for one write; an array is behind it. */
    static ByteBuffer buffer(long number) {
        return ByteBuffer.allocate(SIZE).putLong(0, scrambled(number));
    }

    private static long scrambled(long number) {
        return (number + 1) * GOLDEN;
    }

    /** Throws the first fault of a file that is to hold so many records. */
    static void verify(Path file, long count) throws IOException, WrongResultException {
        long size = Files.size(file);
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file), 64 << 10))) {
            for (long number = 0; number < count; number++) {
                if ((number + 1) * SIZE > size) {
                    throw new WrongResultException("record " + number + " of " + count + " is missing");
                }
                if (in.readLong() != scrambled(number)) {
                    throw new WrongResultException("record " + number + " of " + count + " is not in its place");
                }
            }
        }
        if (size != count * SIZE) {
            throw new WrongResultException("the file has " + size + " bytes instead of " + count * SIZE);
        }
    }
}
