package dev.msgrelay.loadgen.plan;

import dev.msgrelay.protocol.Policy;

/**
 * Subscribers that read too slowly on purpose, beside the others.
 *
 * @param policy that they ask for in their HELLO
 */
public record SlowReaders(int count, int bytesPerSecond, Policy policy) {
    public static final SlowReaders NONE = new SlowReaders(0, 0, Policy.SKIP);
}
