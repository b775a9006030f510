/**
 * Relay's client library: subscribe to and publish into a relay from Java. Two classes; their options say whether a client
 * is plain, reconnecting, or acknowledged.
 *
 * <pre>
 *  RelaySubscriber  SubscriberOptions: types, start, policy, name      -> MessageHandler, Gap, SessionEvent
 *
 *    the caller's thread, in poll:   Reconnector -> RelayLink -> SubscriberStream -> StreamPosition
 *    any thread:                     close, the counters, types (TypeChanges hands the wish over)
 *
 *  RelayPublisher   PublisherOptions: acknowledgements, name, producer -> AckListener, SessionEvent
 *
 *    any thread, in publish:         SendQueue (one lock) -> SendRing (bytes)
 *    one thread of its own:          PublisherSession -> Reconnector -> RelayLink -> PublisherStream, SentFrames
 *
 *  ConnectionOptions  what both options have in common:  endpoints, plain, ReconnectPolicy, time-outs
 *  RelayLink          one connection: HELLO, WELCOME, PING, ERROR;  owned by the thread that reads it
 *  TlsChannel         what it reads and writes where TlsOptions say so, over the same socket
 *  Reconnector        where to connect to next, and when:  Backoff counts, RetryAdvice knows what is worth another try
 * </pre>
 *
 * Depends on the JDK, relay-protocol and slf4j-api; only {@code dev.msgrelay.client.cli}, the command line, needs more.
 *
 * <p><b>Public API.</b>
 */
package dev.msgrelay.client;
