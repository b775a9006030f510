/**
 * The article on file sending algorithms.
 *
 * <pre>
 *  SendersExperiment -> SendersGo (one go) -> WorkerServer, whose workers follow a SendAlgorithm
 *                                          -> ClientGroup -> Client (many): asks, reads, compares
 *                                          -> SendFigures (the clients' bytes and times)
 * </pre>
 */
package dev.msgrelay.lab.senders;
