package dev.msgrelay.protocol;

/** What became of a message, or a run of them, that was given to a publisher. */
public enum PublishOutcome {
    /** Taken over, whole: it goes into the stream in order. */
    ACCEPTED,
    /** Refused, nothing taken: there is no room at the moment. Publish it again later. */
    FULL,
    /** Refused, nothing taken: the publisher is closed, or what it publishes to is. */
    CLOSED
}
