package dev.msgrelay.server.figures;

import dev.msgrelay.protocol.Policy;

/**
 * One connection at one moment.
 *
 * @param id unique since the relay's start, counted from 1
 * @param name the client's name from HELLO, made printable; may be empty
 * @param identity name of the client's identity; empty: there is no access policy, or no proved identity
 * @param publisher true: a publisher; false: a subscriber
 * @param state the connection's state, in lower case
 * @param waitsFor in lower case the reason why a publisher is not read at present; of a subscriber that gets the state,
 *     and not the stream yet, {@code state}; empty: nothing
 * @param policy a subscriber's policy; {@link Policy#RELAY_DEFAULT} for a publisher
 * @param intervalMillis interval at which a subscriber with the policy latest gets the state, in ms; 0: none
 * @param types types that a subscriber wants, as text; empty: all
 * @param cursor a subscriber's position in the stream; all bytes before it were handed to its socket; the stream's head
 *     while the subscriber gets the state
 * @param lagBytes bytes from a subscriber's cursor to the stream's head
 * @param lagMessages messages from a subscriber's cursor to the stream's head, counted with the packet index; while it
 *     gets the state, those of which it was told nothing yet; between two ticks of its interval 0
 * @param replayPercent progress of a subscriber that reads the journal, in percent of its way to the head; {@link
 *     #LIVE}: it reads the log
 * @param replayLeftMillis estimated time until a reader of the journal has caught up; -1: its lag does not shrink; 0:
 *     it reads the log
 * @param messages messages handed to a subscriber, or taken from a publisher
 * @param bytes bytes of these messages
 * @param conflated messages of which a subscriber with the policy latest was told that newer ones have replaced them
 * @param messagesPerSecond rate over the last second, or since the last report if that is longer ago; 0 in the
 *     connection's first second
 * @param ageMillis time since the client connected
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
        int intervalMillis,
        String types,
        long cursor,
        long lagBytes,
        long lagMessages,
        int replayPercent,
        long replayLeftMillis,
        long messages,
        long bytes,
        long conflated,
        double messagesPerSecond,
        long ageMillis) {
    /** The value of {@link #replayPercent} for a subscriber that reads the log, not the journal. */
    public static final int LIVE = -1;
}
