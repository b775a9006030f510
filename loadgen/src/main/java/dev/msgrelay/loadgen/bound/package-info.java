/**
 * What a run was bound by: link, relay CPU, publisher, subscriber, ring, the machine as a whole, or nothing.
 *
 * <pre>
 *  SampleSource      files of /proc, or recorded ones
 *      |  every 100 ms of the measured window
 *  Sampler           CPU of threads, of the machine, queues of sockets, TCP counters    (WindowSampler's thread)
 *      |
 *  Signals           what that comes to over the window, with what is known beside it
 *      |
 *  Classifier        a decision table, see docs/bound-by.md                              (pure)
 *      |
 *  BoundBy           kind, how sure, and sentences with the numbers
 * </pre>
 *
 * Nothing here knows how a run is done; who runs one says which processes there are and which ports they meet at.
 */
package dev.msgrelay.loadgen.bound;
