/**
 * Readers of a framed stream: the article's ladder of clients, each as it is in the article, one class each.
 *
 * <pre>
 *  near site                                        far site
 *  +------------------------------+                 +-----------------------------+
 *  | ReaderMain, a JVM a client:  | &lt;--- lane ---  | StreamSenderMain:           |
 *  | Client -&gt; Sink (checks)     |                 | frames that were packed     |
 *  +------------------------------+                 | beforehand (NumberedFrames) |
 *          ^ commands, results                      +-----------------------------+
 *  ReaderContestant, ReaderBench (the lab's thread)
 * </pre>
 */
package dev.msgrelay.loadgen.lab.readers;
