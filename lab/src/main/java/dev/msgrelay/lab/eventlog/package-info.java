/**
 * The article on synchronizing file writes.
 *
 * <pre>
 *  EventLogExperiment -> EventLogGo (one go) -> BurstThread (many) -> EventLog (the article's logs)
 *                                                                     BufferedWritesOffThread, DisruptorBatches
 *                                            -> EventTally (what was recorded, and the check that the file holds it)
 * </pre>
 */
package dev.msgrelay.lab.eventlog;
