package dev.msgrelay.loadgen.result;

import dev.msgrelay.loadgen.measure.Machine;

/**
 * A machine that took part.
 *
 * @param name "here", or the name that the agent was reached by
 */
public record Site(String name, Machine machine) {}
