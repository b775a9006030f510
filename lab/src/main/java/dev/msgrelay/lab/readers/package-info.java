/**
 * Readers of a framed stream: the article's ladder of clients.
 *
 * <pre>
 *  Readers.main, a JVM a client            the lab's process
 *  +------------------------------+       +------------------------------------------------+
 *  | Client -&gt; Sink (checks)   | &lt;---- | StreamSender: frames that were packed          |
 *  +------------------------------+       | beforehand                                     |
 *     ^ commands, results                 | ReadersExperiment, Readers (the lab's thread)  |
 *     +---------------------------------- +------------------------------------------------+
 * </pre>
 */
package dev.msgrelay.lab.readers;
