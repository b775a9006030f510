package dev.msgrelay.client;

import java.nio.ByteBuffer;

/**
 * Takes the messages of a {@link RelaySubscriber}.
 *
 * <pre>{@code
 * MessageHandler copies = (sequence, type, body) -> {
 *     byte[] copy = new byte[body.remaining()];
 *     body.get(copy);
 * };
 * }</pre>
 */
@FunctionalInterface
public interface MessageHandler {
    /**
     * Takes one message. It counts as received as soon as this method is called, even if it throws; with {@link
     * SubscriberOptions.Builder#positions positions} or {@link SubscriberOptions.Builder#retryHandler}, once this
     * method has returned.
     *
     * @param sequence the message's number in the stream, from 1; 0: unknown, in the plain mode, or with a choice of
     *     types if the relay does not tell the numbers
     * @param type the message's type, never a reserved one
     * @param body the body between position and limit, in the reader's own memory, big-endian; valid until this method
     *     returns
     */
    void onMessage(long sequence, int type, ByteBuffer body);
}
