/**
 * The bottleneck of a run: link, relay, publisher, subscriber, the machine as a whole, or nothing.
 *
 * <pre>
 *  SystemTree        files of /proc, or recorded ones
 *      |  several times within the measured window
 *  Sampler           CPU of threads, machine, other programs; socket queues   (WindowSampler's thread)
 *      |
 *  Signals           the samples, the rates, and what the relay reported
 *      |                                          |
 *  Classifier        a decision table (pure)        Disturbances    other programs, host (pure)
 *      |
 *  BoundBy           kind, and a sentence for each reason
 * </pre>
 *
 * docs/measuring.md has the rules. This package does not start runs. Its callers pass processes, TCP ports and times.
 */
package dev.msgrelay.loadgen.evidence;
