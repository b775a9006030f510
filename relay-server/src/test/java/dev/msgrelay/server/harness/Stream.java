package dev.msgrelay.server.harness;

import java.util.Random;

/** The messages of one publisher, numbered from 0, cut into bursts. One thread writes it, others may ask. */
public final class Stream {
    /** More than a small log, a small ring and the buffers of a loopback connection hold together. */
    public static final int ENOUGH = 16 << 20;

    private final int publisher;
    private final int maxBody;
    private final Random random;
    private volatile int count;
    private volatile long bytes;

    /** Bodies of up to {@code maxBody} bytes, the same at every run. */
    public Stream(int publisher, int maxBody) {
        this(publisher, maxBody, new Random(publisher));
    }

    public Stream(int publisher, int maxBody, Random random) {
        this.publisher = publisher;
        this.maxBody = maxBody;
        this.random = random;
    }

    public Frames next(int atLeast) {
        Frames frames = new Frames();
        int number = count;
        while (frames.size() < atLeast) {
            frames.frame(Frames.type(publisher, number++), random.nextInt(maxBody + 1));
        }
        count = number;
        bytes += frames.size();
        return frames;
    }

    public int count() {
        return count;
    }

    public long bytes() {
        return bytes;
    }
}
