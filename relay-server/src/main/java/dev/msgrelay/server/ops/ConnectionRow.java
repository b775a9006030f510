package dev.msgrelay.server.ops;

import dev.msgrelay.protocol.Policy;

/**
 * One connection, as it stood when it was looked at.
 *
 * @param id unique in this life of the relay, from 1
 * @param name what the client calls itself, made printable; may be empty
 * @param identity who it is, of those that the relay knows; empty: nobody is asked, or nobody that is known
 * @param address of the peer
 * @param publisher or subscriber
 * @param state the connection's state, in lower case
 * @param waitsFor what keeps it from being read, in lower case; empty: nothing
 * @param policy of a subscriber; {@link Policy#RELAY_DEFAULT} of a publisher
 * @param types that a subscriber wants, as text; empty: all
 * @param cursor of a subscriber: the position in the stream before which everything has been handed to its socket
 * @param lagBytes of a subscriber: the head less the cursor
 * @param lagMessages likewise, by the packet index
 * @param replayPercent of a subscriber that gets the stream from the journal: how much of the way to the head it has behind it;
 *     {@link #LIVE}: it gets it from the log
 * @param replayLeftMillis how long it takes it at its pace so far to catch up; -1: it comes no nearer; 0 of one that is live
 * @param messages handed to a subscriber, or taken of a publisher
 * @param bytes likewise
 * @param messagesPerSecond over the last second, or since the look before where that is longer ago; 0 in its first second
 * @param ageMillis since it connected
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
    /** Of {@link #replayPercent}. */
    public static final int LIVE = -1;
}
