package dev.msgrelay.lab.files;

import dev.msgrelay.lab.WrongResultException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The content of a file: the byte at position {@code i} is {@code (byte) (i + seed)}. The article always writes {@code
 * (byte) i}. With another seed in every loop, a loop that writes nothing is noticed: the file still has the bytes of
 * the previous loop.
 */
record Content(long size, int seed) {
    private static final int CYCLE = 256;

    /** A multiple of the cycle, so that all blocks of a file are equal. */
    private static final int BLOCK = CYCLE * 1024;

    byte at(long position) {
        return (byte) (position + seed);
    }

    /** Returns the article's checksum: the sum of all bytes as signed numbers, as an int that may overflow. */
    int checkSum() {
        int sum = (int) (size / CYCLE * -128);
        for (long i = size - size % CYCLE; i < size; i++) {
            sum += at(i);
        }
        return sum;
    }

    /**
     * Checks a file, by a way of reading that no contestant uses.
     *
     * @throws WrongResultException the first fault
     */
    void verify(Path file) throws IOException, WrongResultException {
        if (Files.size(file) != size) {
            throw new WrongResultException("the file has " + Files.size(file) + " bytes instead of " + size);
        }
        byte[] want = new byte[(int) Math.min(BLOCK, size)];
        for (int i = 0; i < want.length; i++) {
            want[i] = at(i);
        }
        try (InputStream in = Files.newInputStream(file)) {
            for (long at = 0; at < size; at += want.length) {
                byte[] got = in.readNBytes((int) Math.min(want.length, size - at));
                int wrong = Arrays.mismatch(got, 0, got.length, want, 0, got.length);
                if (wrong >= 0) {
                    throw new WrongResultException(
                            "byte " + (at + wrong) + " of the file is " + got[wrong] + " instead of " + at(at + wrong));
                }
            }
        }
    }
}
