package dev.msgrelay.loadgen.lab;

/** How long a cache line takes from core to core: {@link dev.msgrelay.loadgen.measure.CoreHop}, or figures of a test. */
@FunctionalInterface
public interface HopMeter {
    double measureNanos() throws InterruptedException;
}
