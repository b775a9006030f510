/**
 * The article on file sending algorithms.
 *
 * <pre>
 *  SendersExperiment -> SendersGo (one go) -> FileServer: WorkerServer, whose workers follow a SendAlgorithm,
 *                                                         or EventLoopServer
 *                                          -> ClientGroup -> Client (many): asks, reads, compares
 *                                          -> SendFigures (what the clients got)
 * </pre>
 */
package dev.msgrelay.lab.senders;
