/**
 * Relay's wire protocol: the layout of messages in a byte stream, and the code that packs and finds them.
 *
 * <p>Depends on the JDK alone, so that a client can embed it without other libraries.
 *
 * <pre>
 *  FrameLayout    offsets of a frame's fields            (static methods over a buffer)
 *  ControlFrames  the reserved types, never relayed          (static methods)
 *  HelloFrame     and the other frames between client and relay about a connection; those sent rarely are
 *                 records, those sent often are static methods over a buffer
 *  TypeRanges     the types of messages that a subscriber wants
 *  Protocol       version and limits;  Features: asked for by clients, granted by relays
 *  FrameReader    bytes from a channel -> (type, body view)  (one direct, compacting buffer)
 *  FrameWalk      number and length of the whole messages in some bytes  (static methods over a buffer)
 *  FrameWriter    (type, body) -> packed bytes               (one direct buffer)
 *  Policy         the treatment of a slow subscriber;  ProducerId: the publisher of a name
 *  CloseReason    every reason for which a connection ends, with its code on the wire
 *  PublishOutcome the result of publishing a message
 * </pre>
 *
 * <pre>
 *   dev.msgrelay.protocol        frames, values of their fields
 *   dev.msgrelay.protocol.net    Endpoint, Segments           addresses, sizes of writes
 *   dev.msgrelay.protocol.text   Durations, Sizes             for people and files
 * </pre>
 *
 * This module starts no thread. FrameReader and FrameWriter are owned by one thread each; all else is immutable, or
 * static methods over the caller's buffer.
 *
 * <p><b>Public API.</b>
 */
package dev.msgrelay.protocol;
