/**
 * The way of messages from a publisher's socket into the order.
 *
 * <pre>
 *   socket --ReadWindow--> Intake --runs--> Inlet: InPlace ---------> log  (the core's own loop)
 *                            |  |                  ToRing ----------> ring (a reader loop)
 *              FrameAssembler'  |                  ToOrderer -------> cluster (the core's own loop)
 *       the rest of a frame, in '--HELLO--> Producer: package producers
 *       SMALL, SHORT, LONG memory
 * </pre>
 *
 * <p>{@code PublisherConnection} puts these parts together. All belong to the thread of the loop that reads the socket.
 * That is the core's loop or, for publishers without HELLO, a reader loop. Internal.
 */
package dev.msgrelay.server.publish;
