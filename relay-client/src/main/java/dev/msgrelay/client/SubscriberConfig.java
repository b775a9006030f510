package dev.msgrelay.client;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.FrameReader;
import java.time.Duration;

/**
 * Settings of a {@link RelaySubscriber}. Immutable; checked when made.
 *
 * @param bufferSize bytes of direct memory that one read fills at most; grows where a frame is larger
 * @param maxBody longest body in bytes that is taken; a longer one ends the connection
 * @param connectTimeout bound of connecting
 */
public record SubscriberConfig(int bufferSize, int maxBody, Duration connectTimeout) {
    public SubscriberConfig {
        if (bufferSize < FrameLayout.HEADER_LENGTH) {
            throw new IllegalArgumentException(
                    "bufferSize " + bufferSize + " is under a frame's header of " + FrameLayout.HEADER_LENGTH);
        }
        if (maxBody < 0 || maxBody > FrameLayout.MAX_MAX_BODY) {
            throw new IllegalArgumentException("maxBody " + maxBody + " is not within 0.." + FrameLayout.MAX_MAX_BODY);
        }
        Timeouts.check("connectTimeout", connectTimeout);
    }

    /** 256 KiB of buffer, bodies up to 1 MiB, 5 seconds to connect. */
    public static SubscriberConfig defaults() {
        return new SubscriberConfig(FrameReader.DEFAULT_BUFFER, FrameLayout.DEFAULT_MAX_BODY, Timeouts.DEFAULT_CONNECT);
    }

    public SubscriberConfig withBufferSize(int bytes) {
        return new SubscriberConfig(bytes, maxBody, connectTimeout);
    }

    public SubscriberConfig withMaxBody(int bytes) {
        return new SubscriberConfig(bufferSize, bytes, connectTimeout);
    }

    public SubscriberConfig withConnectTimeout(Duration timeout) {
        return new SubscriberConfig(bufferSize, maxBody, timeout);
    }
}
