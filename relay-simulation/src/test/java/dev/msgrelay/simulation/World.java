package dev.msgrelay.simulation;

import dev.msgrelay.server.config.RelayConfig;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** What all parts of one run share: its random numbers, its clock, its trace, and what went wrong first. */
public final class World {
    private final long seed;
    private final SplittableRandom random;
    private final MockTicker clock = Ticker.newMockTicker();
    private final Trace trace = new Trace();
    private long step;
    private String failure;
    private boolean calm;
    private int injected;
    private final Map<String, Integer> faultySteps = new TreeMap<>();
    private SimLoop current;
    private RelayConfig config;

    private int volume;
    private int mostStream = 40 << 20;

    public World(long seed) {
        this.seed = seed;
        this.random = new SplittableRandom(seed);
        this.volume = oneOf(1, 1, 4, 16, 32);
    }

    /** How much is published in this run: 1 is little, the log never goes round. */
    public int volume() {
        return volume;
    }

    /** No more than so much is published, and the stream gets no longer than so many bytes, more or less. */
    public void atMost(int most, int bytes) {
        volume = Math.min(volume, most);
        mostStream = bytes;
    }

    /** Where the stream is so long, nobody publishes any more. */
    int mostStream() {
        return mostStream;
    }

    /** What the relay of this run is like. */
    public RelayConfig config() {
        return config;
    }

    public void config(RelayConfig drawn) {
        config = drawn;
    }

    // ---- random numbers ------------------------------------------------------------------------------------------

    /** 0 to below {@code bound}. */
    public int below(int bound) {
        return random.nextInt(bound);
    }

    public int between(int least, int most) {
        return least + random.nextInt(most - least + 1);
    }

    /** True once in so many times. */
    public boolean onceIn(int times) {
        return random.nextInt(times) == 0;
    }

    /** Small numbers most of the time, large ones now and then. */
    public int skewed(int most) {
        int bits = 32 - Integer.numberOfLeadingZeros(most);
        return Math.min(most, random.nextInt(1 << Math.min(30, 1 + random.nextInt(bits))));
    }

    public int oneOf(int... choices) {
        return choices[random.nextInt(choices.length)];
    }

    public long nextLong() {
        return random.nextLong();
    }

    // ---- time ----------------------------------------------------------------------------------------------------

    public Ticker clock() {
        return clock;
    }

    public long now() {
        return clock.nanoTime();
    }

    public void advance(long nanos) {
        clock.advance(nanos, TimeUnit.NANOSECONDS);
    }

    // ---- the run -------------------------------------------------------------------------------------------------

    public long seed() {
        return seed;
    }

    public long step() {
        return step;
    }

    public void nextStep() {
        step++;
    }

    /** Whether faults have ended, and everybody does what is right. */
    public boolean calm() {
        return calm;
    }

    public void calmDown() {
        calm = true;
    }

    /** A channel was made to throw what no channel throws. */
    void injected() {
        injected++;
    }

    /** So was one in the middle of a step of its connection. */
    void injectedIn(String step) {
        injected++;
        faultySteps.merge(step, 1, Integer::sum);
        trace(step, "throws", 0, 0);
    }

    /** The steps of connections that were made to throw, and how often. */
    public Map<String, Integer> faultySteps() {
        return faultySteps;
    }

    public int injectedFaults() {
        return injected;
    }

    SimLoop current() {
        return current;
    }

    void current(SimLoop loop) {
        current = loop;
    }

    public void trace(String who, String what, long a, long b) {
        trace.add(step, who, what, a, b);
    }

    /** Something is not as it must be; the first one counts. Told after the step: within it, Netty would swallow it. */
    public void fail(String what) {
        if (failure == null) {
            failure = "seed " + seed + " step " + step + ": " + what;
        }
    }

    public void check(boolean holds, String what) {
        if (!holds) {
            fail(what);
        }
    }

    /** A number that two runs share only if all went the same way. */
    public long digest() {
        return trace.digest();
    }

    public boolean failed() {
        return failure != null;
    }

    /** Ends the run if something was not as it must be. */
    public void throwIfFailed() {
        if (failure != null) {
            throw new AssertionError(failure + "\nrepeat it with -Dsim.seed=" + seed + "; the last events:\n" + trace);
        }
    }
}
