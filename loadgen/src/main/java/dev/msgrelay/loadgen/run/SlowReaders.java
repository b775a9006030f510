package dev.msgrelay.loadgen.run;

/**
 * Subscribers that read too slowly on purpose, beside the others.
 *
 * @param count how many
 * @param bytesPerSecond that each of them reads
 * @param policy that they ask for in their HELLO
 */
public record SlowReaders(int count, int bytesPerSecond, SlowPolicy policy) {
    public static final SlowReaders NONE = new SlowReaders(0, 0, SlowPolicy.SKIP);
}
