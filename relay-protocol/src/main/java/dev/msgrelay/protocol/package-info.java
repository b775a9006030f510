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
 *  CloseReason    every reason for which a connection ends, with its code on the wire
 * </pre>
 */
package dev.msgrelay.protocol;
