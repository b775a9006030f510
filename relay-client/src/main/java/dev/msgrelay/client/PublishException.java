package dev.msgrelay.client;

import java.io.IOException;

/**
 * A {@link RelayPublisher} has failed, or could not settle its messages in time. The message tells how many are left,
 * and why.
 *
 * <pre>{@code
 * try {
 *     publisher.flush(Duration.ofSeconds(30));
 * } catch (PublishException e) {
 *     System.err.println(e.unsettled() + " messages are not acknowledged: " + e.getMessage());
 * }
 * }</pre>
 */
public final class PublishException extends IOException {
    private static final long serialVersionUID = 1L;

    private final long unsettled;

    PublishException(String message, long unsettled, Throwable cause) {
        super(message, cause);
        this.unsettled = unsettled;
    }

    /**
     * Number of messages that were accepted and are not settled: not acknowledged; without acknowledgements, not
     * confirmed by the relay, but for those in doubt that a flush has told before; plain, not handed to a socket
     * completely. Never less than what the relay lacks of them, but in the plain mode. 0: all of these are settled, but
     * the publisher has failed and takes no more.
     */
    public long unsettled() {
        return unsettled;
    }
}
