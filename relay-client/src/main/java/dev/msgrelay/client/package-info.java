/**
 * Relay's client library: subscribe to and publish into a relay from Java.
 *
 * <pre>
 *  Endpoint         where a relay listens; opens the connection
 *  RelaySubscriber  the caller's thread reads: socket -> FrameReader -> FrameConsumer
 *  RelayPublisher   any thread -> SendQueue (lock) -> SendRing (bytes) -> PublisherLoop (one thread) -> socket
 * </pre>
 *
 * Both speak the plain protocol: they send no control frame, and understand ERROR. Depends on the JDK, relay-protocol and
 * slf4j-api; only {@code dev.msgrelay.client.cli}, the command line, needs more.
 */
package dev.msgrelay.client;
