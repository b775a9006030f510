/**
 * Relay's client library: subscribe to and publish into a relay from Java.
 *
 * <pre>
 *  Endpoint         where a relay listens; opens the connection
 *  RelaySubscriber  the caller's thread reads: socket -> FrameReader -> FrameConsumer
 *  RelayPublisher   any thread -> SendQueue (lock) -> SendRing (bytes) -> PublisherLoop (one thread) -> socket
 * </pre>
 *
 * These speak the plain protocol: they send no control frame, and understand ERROR. Two more say HELLO, connect again by
 * themselves, and go on where they stood:
 *
 * <pre>
 *  ReconnectingSubscriber  SubscriberOptions: types, start, policy, name   -> MessageHandler, Gap, SessionEvent
 *    the caller's thread: Reconnector -> RelayLink -> SubscriberStream -> StreamPosition
 *  ReconnectingPublisher   PublisherOptions: acknowledgements, name        -> AckListener, SessionEvent
 *    any thread -> SendQueue -> one thread: PublisherSession -> RelayLink, PublisherStream, SentFrames
 *  ReconnectPolicy         how often, and how soon, a connection is tried again
 * </pre>
 *
 * Depends on the JDK, relay-protocol and slf4j-api; only {@code dev.msgrelay.client.cli}, the command line, needs more.
 */
package dev.msgrelay.client;
