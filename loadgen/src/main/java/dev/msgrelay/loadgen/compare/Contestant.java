package dev.msgrelay.loadgen.compare;

import dev.msgrelay.loadgen.run.Middle;
import dev.msgrelay.protocol.Policy;

/**
 * One side.
 *
 * @param title for people
 * @param policy by which a loss is explained
 */
public record Contestant(String title, Middle middle, Policy policy) {}
