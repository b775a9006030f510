/**
 * What a run was bound by: link, relay CPU, publisher, subscriber, ring, the machine as a whole, or nothing.
 *
 * <pre>
 *  SystemTree        files of /proc, or recorded ones
 *      |  some twenty times within the measured window
 *  Sampler           CPU of threads, of the machine, of others, queues of sockets, TCP   (WindowSampler's thread)
 *      |
 *  Signals           what that comes to over the window, with what is known beside it
 *      |                                          |
 *  Classifier        a decision table (pure)        Disturbances    what the machine did to the run (pure)
 *      |                                          |
 *  BoundBy           kind, how sure, Reasons        a sentence each
 * </pre>
 *
 * See docs/measuring.md. Nothing here knows how a run is done; who runs one says which processes there are and which ports they meet at.
 */
package dev.msgrelay.loadgen.evidence;
