/**
 * From a publisher's socket into the order.
 *
 * <pre>
 *   socket --> ReadWindow --> PublisherConnection --span--> IngestPort: InPlacePort --> log    (the core's own loop)
 *                 ^                |     |                              RingPort ----> ring   (a reader loop)
 *                 '- FrameAssembler'     |                              OrdererPort -> cluster (the core's own loop)
 *            what is left of a frame,    '-- ProducerState: its PublisherName of the NameTable, numbers, Levels
 *            in SMALL, SHORT, LONG memory
 * </pre>
 *
 * <p>A connection, its assembler and its port belong to the loop that reads it. The table of names is the core's: publishers
 * that said HELLO stay on the core's loop; a plain one goes to one of the {@link
 * dev.msgrelay.server.ingest.ReaderLoops} with its first message, where there are any.
 *
 * <p><b>Internal:</b> changes without notice.
 */
package dev.msgrelay.server.ingest;
