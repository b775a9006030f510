package dev.msgrelay.client;

/**
 * Gets the acknowledgements of a {@link RelayPublisher}, on the publisher's own thread.
 *
 * <pre>{@code
 * PublisherOptions.builder("127.0.0.1:7401")
 *         .acks("orders")
 *         .onAck((number, sequence) -> System.out.println("in the stream up to my message " + number));
 * }</pre>
 */
@FunctionalInterface
public interface AckListener {
    /**
     * The message with this number, and all before it, are in the stream, at the level that the options ask for.
     *
     * @param number the message's number in the publisher's own count, see {@link RelayPublisher#firstNumber}
     * @param sequence sequence of this message in the stream; 0 where the relay did not tell: for messages that it
     *     already had when the connection was made again, and for a message that is written or forced after later ones
     *     have entered the stream
     */
    void onAck(long number, long sequence);
}
