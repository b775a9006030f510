package dev.msgrelay.client;

/** Is told by a {@link RelayPublisher} what the relay has acknowledged, on the publisher's own thread. */
@FunctionalInterface
public interface AckListener {
    /**
     * The message with this number and all before it are in the stream, and as far as the options ask for.
     *
     * @param number of the publisher's own count, see {@link RelayPublisher#firstNumber}
     * @param sequence that this message has in the stream; 0 where the relay did not tell: of what it had when the
     *     connection was made again, and of a message that is written or forced while others are behind it already
     */
    void onAck(long number, long sequence);
}
