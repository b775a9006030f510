/**
 * The article on file sending algorithms.
 *
 * <pre>
 *  SendersExperiment -> Downloads (one go) -> WorkerServer, whose workers follow a SendAlgorithm
 *                                          -> Clients, each of which asks, reads and compares
 *                                          -> SendFigures (their bytes and times)
 * </pre>
 */
package dev.msgrelay.lab.senders;
