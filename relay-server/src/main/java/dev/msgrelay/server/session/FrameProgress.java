package dev.msgrelay.server.session;

import dev.msgrelay.server.config.LimitsConfig;

/**
 * Whether a frame that a client has begun makes progress: in each frame timeout it must bring what the least rate asks for, or
 * be complete. Time in which the client is not read does not count. Time comes as a parameter; one thread.
 */
final class FrameProgress {
    private final LimitsConfig limits;
    private long sinceNanos;
    private long sinceFrames;
    private long sinceBytes;
    private long came;

    FrameProgress(LimitsConfig limits, long nowNanos) {
        this.limits = limits;
        this.sinceNanos = nowNanos;
    }

    /**
     * Looks at the time.
     *
     * @param underWay whether a frame has begun, is not complete, and is read
     * @param frames complete ones so far
     * @param bytes read so far
     * @return whether too little of it has come
     */
    boolean tooSlow(long nowNanos, boolean underWay, long frames, long bytes) {
        boolean another = frames != sinceFrames;
        boolean over = nowNanos - sinceNanos > limits.frameTimeout().toNanos();
        if (underWay && !another && !over) {
            return false;
        }
        came = bytes - sinceBytes;
        sinceNanos = nowNanos;
        sinceFrames = frames;
        sinceBytes = bytes;
        return underWay && !another && came < least();
    }

    private long least() {
        return limits.minRate() * limits.frameTimeout().toMillis() / 1000;
    }

    /** What was too little. */
    String text() {
        return came + " bytes of a frame came within " + limits.frameTimeout().toMillis() + " ms, the least is "
                + least();
    }
}
