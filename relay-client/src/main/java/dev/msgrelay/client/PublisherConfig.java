package dev.msgrelay.client;

import dev.msgrelay.protocol.FrameLayout;
import java.time.Duration;

/**
 * Settings of a {@link RelayPublisher}. Immutable; checked when made.
 *
 * @param bufferSize bytes of direct memory for what is accepted and not yet sent; at least one largest frame
 * @param maxBody longest body in bytes that is accepted; the relay has a limit of its own
 * @param connectTimeout bound of connecting
 * @param closeTimeout bound of {@link RelayPublisher#close}: sending what is left, and waiting for the relay's last word
 */
public record PublisherConfig(int bufferSize, int maxBody, Duration connectTimeout, Duration closeTimeout) {
    /** 1 MiB, and a header more, so that a body of the default limit fits. Several writes of 256 KiB. */
    public static final int DEFAULT_BUFFER = FrameLayout.frameLength(FrameLayout.DEFAULT_MAX_BODY);

    /** 1 GiB: twice that is still an int. */
    public static final int MAX_BUFFER = 1 << 30;

    public PublisherConfig {
        if (maxBody < 0 || maxBody > FrameLayout.MAX_MAX_BODY) {
            throw new IllegalArgumentException("maxBody " + maxBody + " is not within 0.." + FrameLayout.MAX_MAX_BODY);
        }
        if (bufferSize < FrameLayout.frameLength(maxBody)) {
            throw new IllegalArgumentException("bufferSize " + bufferSize + " cannot hold the largest frame of "
                    + FrameLayout.frameLength(maxBody) + " bytes");
        }
        if (bufferSize > MAX_BUFFER) {
            throw new IllegalArgumentException("bufferSize " + bufferSize + " is over " + MAX_BUFFER);
        }
        Timeouts.check("connectTimeout", connectTimeout);
        Timeouts.check("closeTimeout", closeTimeout);
    }

    /** 1 MiB of buffer, bodies up to 1 MiB, 5 seconds to connect, 5 seconds to close. */
    public static PublisherConfig defaults() {
        return new PublisherConfig(
                DEFAULT_BUFFER, FrameLayout.DEFAULT_MAX_BODY, Timeouts.DEFAULT_CONNECT, Timeouts.DEFAULT_CLOSE);
    }

    public PublisherConfig withBufferSize(int bytes) {
        return new PublisherConfig(bytes, maxBody, connectTimeout, closeTimeout);
    }

    /** The buffer grows along where it could not hold such a body. */
    public PublisherConfig withMaxBody(int bytes) {
        int needed = FrameLayout.frameLength(Math.min(Math.max(bytes, 0), FrameLayout.MAX_MAX_BODY));
        return new PublisherConfig(Math.max(bufferSize, needed), bytes, connectTimeout, closeTimeout);
    }

    public PublisherConfig withConnectTimeout(Duration timeout) {
        return new PublisherConfig(bufferSize, maxBody, timeout, closeTimeout);
    }

    public PublisherConfig withCloseTimeout(Duration timeout) {
        return new PublisherConfig(bufferSize, maxBody, connectTimeout, timeout);
    }
}
