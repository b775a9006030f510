package dev.msgrelay.client;

/** What became of one message given to a {@link RelayPublisher}. */
public enum PublishOutcome {
    /** Taken over: it is in the send buffer and goes out in order. */
    ACCEPTED,
    /** Refused, nothing taken: the send buffer is full because the relay takes less than is published. Try again. */
    FULL,
    /** Refused, nothing taken: the publisher was closed or its connection failed, see {@link RelayPublisher#failure}. */
    CLOSED
}
