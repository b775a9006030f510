/**
 * The article on synchronizing file writes.
 *
 * <pre>
 *  EventLogExperiment -> Bursts (one go, each thread a BurstThread) -> EventLog (the article's logs)
 *                                                                      BufferedWritesOffThread, DisruptorBatches
 *                                                                   -> EventTally (events, check of the file)
 * </pre>
 */
package dev.msgrelay.lab.eventlog;
