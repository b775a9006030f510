package dev.msgrelay.server.figures;

import dev.msgrelay.protocol.Policy;

/**
 * One connection at one moment.
 *
 * @param id unique in this life of the relay, from 1
 * @param name the client's own name from HELLO, made printable; may be empty
 * @param identity name of its identity; empty: there is no access policy, or no identity is proved
 * @param address the peer's address
 * @param publisher true: a publisher; false: a subscriber
 * @param state the connection's state, in lower case
 * @param waitsFor what the connection waits for before it is read again, in lower case; empty: nothing
 * @param policy a subscriber's policy; {@link Policy#RELAY_DEFAULT} for a publisher
 * @param types types that a subscriber wants, as text; empty: all
 * @param cursor a subscriber's position in the stream; everything before has been handed to its socket
 * @param lagBytes bytes from a subscriber's cursor to the head
 * @param lagMessages messages from the cursor to the head, by the packet index
 * @param replayPercent percent of the way to the head that a subscriber of the journal has done; {@link #LIVE}: it gets
 *     the stream from the log
 * @param replayLeftMillis time until it catches up, at its pace so far; -1: it comes no nearer; 0: it is live
 * @param messages messages handed to a subscriber, or taken from a publisher
 * @param bytes bytes of these messages
 * @param messagesPerSecond rate over the last second, or since the last report if that is longer ago; 0 in its first
 *     second
 * @param ageMillis time since it connected
 */
public record ConnectionRow(
        long id,
        String name,
        String identity,
        String address,
        boolean publisher,
        String state,
        String waitsFor,
        Policy policy,
        String types,
        long cursor,
        long lagBytes,
        long lagMessages,
        int replayPercent,
        long replayLeftMillis,
        long messages,
        long bytes,
        double messagesPerSecond,
        long ageMillis) {
    /** The value of {@link #replayPercent} of a subscriber that gets the stream from the log. */
    public static final int LIVE = -1;
}
