package dev.msgrelay.client;

import java.nio.ByteBuffer;

/** Takes the messages of a {@link RelaySubscriber}. */
@FunctionalInterface
public interface MessageHandler {
    /**
     * One message. It counts as had as soon as this method is called, also where it throws.
     *
     * @param sequence its number in the stream, from 1; 0 where that is not known: in the plain mode, or with a choice of
     *     types where the relay does not tell the numbers
     * @param type the message's type, never a reserved one
     * @param body the body lies between position and limit of the reader's own memory, big-endian: valid until this
     *     method returns
     */
    void onMessage(long sequence, int type, ByteBuffer body);
}
