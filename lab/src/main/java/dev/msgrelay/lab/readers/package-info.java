/**
 * Readers of a framed stream: the article's ladder of clients.
 *
 * <pre>
 *  near site                                        far site
 *  +------------------------------+                 +-----------------------------+
 *  | ReaderMain, a JVM a client:  | &lt;--- lane ---  | StreamSender:               |
 *  | Client -&gt; Sink (checks)     |                 | frames that were packed     |
 *  +------------------------------+                 | beforehand (NumberedFrames) |
 *          ^ commands, results                      +-----------------------------+
 *  ReadersExperiment, ReaderBench (the lab's thread)
 * </pre>
 */
package dev.msgrelay.lab.readers;
