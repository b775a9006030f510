package dev.msgrelay.server;

/** What became of a publish. */
public enum PublishOutcome {
    /** In the stream, whole. */
    ACCEPTED,
    /** Not in the stream: there was no room. Publish it again later. */
    FULL,
    /** Not in the stream: the relay is closing. */
    CLOSED
}
