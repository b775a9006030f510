/**
 * The bottleneck of a run: link, relay, publisher, subscriber, the machine as a whole, or nothing.
 *
 * <pre>
 *  SystemTree        files of /proc, or recorded ones
 *      |  some times within the measured window
 *  Sampler           CPU of threads, of the machine, of others; queues of sockets   (WindowSampler's thread)
 *      |
 *  Signals           the samples over the window, with the rates and the relay's own report beside them
 *      |                                          |
 *  Classifier        a decision table (pure)        Disturbances    the machine's deeds (pure)
 *      |
 *  BoundBy           kind, and a sentence for each reason
 * </pre>
 *
 * See docs/measuring.md. Nothing here knows how a run is done: its processes and ports are given.
 */
package dev.msgrelay.loadgen.evidence;
