/**
 * From a publisher's socket into the order.
 *
 * <pre>
 *   socket --ReadWindow--> Intake --runs--> Inlet: InPlace ---------> log  (the core's own loop)
 *                            |  |                  ToRing ----------> ring (a reader loop)
 *              FrameAssembler'  |                  ToOrderer -------> cluster (the core's own loop)
 *       the rest of a frame, in '--HELLO--> Producer: package producers
 *       SMALL, SHORT, LONG memory
 * </pre>
 *
 * <p>{@code PublisherConnection} puts them together. A connection, its assembler and its inlet belong to the loop that
 * reads it. Publishers that said HELLO stay on the core's loop. A plain one goes to a reader loop with its first
 * message, if there are any. Internal.
 */
package dev.msgrelay.server.publish;
