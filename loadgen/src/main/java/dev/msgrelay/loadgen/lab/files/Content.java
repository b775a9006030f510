package dev.msgrelay.loadgen.lab.files;

/**
 * What a file is to hold: the byte at position {@code i} is {@code (byte) (i + seed)}. The article always writes
 * {@code (byte) i}; with another seed for every loop, a loop that writes nothing cannot pass for one that did because the
 * last one's bytes are still there.
 *
 * @param size in bytes
 */
record Content(long size, int seed) {
    private static final int CYCLE = 256;
    private static final int SUM_OF_CYCLE = -128;

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
}
