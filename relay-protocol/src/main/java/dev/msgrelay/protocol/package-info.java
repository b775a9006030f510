/**
 * Relay's wire protocol: how messages lie in a byte stream, and the code that packs and finds them.
 *
 * <p>Depends on the JDK alone, so that a client can embed it without bringing anything else along.
 *
 * <pre>
 *  FrameLayout    where the fields of a frame lie            (static methods over a buffer)
 *  ControlFrames  the reserved types, never relayed          (static methods)
 *  HelloFrame     and the other frames by which client and relay speak about a connection; those sent rarely are
 *                 records, those sent often are static methods over a buffer
 *  TypeRanges     which types of messages a subscriber wants
 *  Protocol       version and limits;  Features: what may be asked for and granted
 *  FrameReader    bytes from a channel -> (type, body view)  (one direct, compacting buffer)
 *  FrameWriter    (type, body) -> packed bytes               (one direct buffer)
 *  Policy         what happens to a slow subscriber;  ProducerId: who publishes under a name
 *  CloseReason    every reason for which a connection ends, with its code on the wire
 *  PublishOutcome what became of a message that was given to a publisher
 * </pre>
 *
 * <pre>
 *   dev.msgrelay.protocol        frames, values of their fields
 *   dev.msgrelay.protocol.net    Endpoint, Segments           of sockets
 *   dev.msgrelay.protocol.text   Durations, Sizes             as people write them
 * </pre>
 *
 * No thread is started here. FrameReader and FrameWriter are owned by one thread each; everything else is immutable, or
 * static methods over the caller's buffer.
 *
 * <p><b>Public API.</b>
 */
package dev.msgrelay.protocol;
