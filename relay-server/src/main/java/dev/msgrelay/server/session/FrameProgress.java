package dev.msgrelay.server.session;

import dev.msgrelay.server.config.LimitsConfig;

/**
 * Whether a frame that a client has begun makes progress: in each frame timeout it must bring what the least rate asks for, or
 * be complete. Of one that holds memory for which others wait more is asked, so that their turn comes. Time in which the
 * client is not read does not count. Time comes as a parameter; one thread.
 */
final class FrameProgress {
    /** The factor on the least rate for a client that holds up others: a frame of 1 MiB is over in a minute then. */
    static final int HURRY = 16;

    private final LimitsConfig limits;
    private long sinceNanos;
    private long sinceFrames;
    private long sinceBytes;
    private int sinceBegun;
    private boolean hurry;

    FrameProgress(LimitsConfig limits, long nowNanos) {
        this.limits = limits;
        this.sinceNanos = nowNanos;
    }

    /**
     * Looks at the time.
     *
     * @param underWay whether a frame has begun, is not complete, and is read
     * @param holdsUpOthers whether others wait for memory that it holds; more is asked only where it was so at each look
     * @param frames complete ones so far
     * @param bytes read so far
     * @param begun of a record of TLS that is not whole: what is nearly there is no standstill. Only more than at the last look
     *     counts, so records without data are no progress
     * @return the shortfall, for people, where too little of it has come; otherwise null
     */
    String look(long nowNanos, boolean underWay, boolean holdsUpOthers, long frames, long bytes, int begun) {
        boolean another = frames != sinceFrames;
        boolean over = nowNanos - sinceNanos > limits.frameTimeout().toNanos();
        hurry &= holdsUpOthers;
        if (underWay && !another && !over) {
            return null;
        }
        long came = bytes - sinceBytes + Math.max(0, begun - sinceBegun);
        long least = limits.minRate() * limits.frameTimeout().toMillis() / 1000 * (hurry ? HURRY : 1);
        hurry = holdsUpOthers;
        sinceNanos = nowNanos;
        sinceFrames = frames;
        sinceBytes = bytes;
        sinceBegun = begun;
        if (!underWay || another || came >= least) {
            return null;
        }
        return came + " bytes of a frame came within " + limits.frameTimeout().toMillis() + " ms, the least is "
                + least;
    }
}
