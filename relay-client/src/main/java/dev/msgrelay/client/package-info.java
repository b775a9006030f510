/**
 * Relay's client library: subscribes to a relay, and publishes to it, from Java. Two classes; their options choose
 * whether a client is plain, reconnecting or acknowledged.
 *
 * <pre>
 *  RelaySubscriber  SubscriberOptions: types, start, policy, name      -> MessageHandler, RunHandler, Gap, SessionEvent
 *                   PositionStore: where the next process goes on
 *
 *    the caller's thread, in poll:  SubscriberSession -> Reconnector -> RelayLink -> SubscriberStream -> StreamPosition
 *                                    behind the handler: PositionKeeper -> PositionStore
 *    any thread:                     close, the counters, types (TypeChanges hands the request over)
 *
 *  RelayPublisher   PublisherOptions: acknowledgements, name, producer -> AckListener, SessionEvent
 *                                                                      -> PublishException, from flush and close
 *
 *    any thread, in publish:         SendQueue (one lock) -> SendRing (bytes)
 *    one thread of its own:          PublisherSession -> Reconnector -> RelayLink -> PublisherStream, SentFrames
 *                                    without acknowledgements: Confirmations, PINGs that the relay answers
 *
 *  ErrorKind          of any error: retry, fatal or yours
 *  ConnectionOptions  common to both options:  endpoints, plain, ReconnectPolicy, time-outs
 *  RelayLink          one connection: HELLO, WELCOME, PING, ERROR;  owned by the thread that reads it
 *  TlsChannel         reads and writes TLS if there are TlsOptions, over the same socket
 *  Reconnector        the next endpoint, and the time for it:  Backoff counts tries, RetryAdvice decides on them
 * </pre>
 *
 * Depends on the JDK, relay-protocol and slf4j-api; only {@code dev.msgrelay.client.cli}, the command line, needs more.
 *
 * <p><b>Public API.</b>
 */
package dev.msgrelay.client;
