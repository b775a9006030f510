package dev.msgrelay.loadgen.bound;

/**
 * The four places where bytes may wait on their way; null where they could not be seen (Unix sockets have no such figures,
 * and neither has a process on another host).
 *
 * <pre>
 *  publisher [publisherSend] --link--> [relayReceive] relay [relaySend] --link--> [subscriberReceive] subscriber
 * </pre>
 */
public record Queues(Queue publisherSend, Queue relayReceive, Queue relaySend, Queue subscriberReceive) {
    /** Nothing was seen. */
    public static final Queues UNSEEN = new Queues(null, null, null, null);
}
