package dev.msgrelay.protocol;

/** The result of publishing a message or a run. */
public enum PublishOutcome {
    /** The whole message or run was taken, and goes into the stream in order. */
    ACCEPTED,
    /** Nothing was taken: there is no room at the moment. Publish it again later. */
    FULL,
    /** Nothing was taken: the publisher, or the relay that it publishes to, is closed. */
    CLOSED
}
