package dev.msgrelay.loadgen.bound;

/**
 * What the relay says of its own waiting; shares of the time between the two of its reports that lie nearest around the
 * window, 0..1.
 *
 * @param heldBack there was a publisher that it did not read, for want of room in the ring or because of:
 * @param backpressure the slowest subscriber with that policy kept the log from growing
 * @param ringUsed share of the ring's cells that were in use, on average of the reports
 */
public record RelayHolds(double heldBack, double backpressure, double ringUsed) {}
