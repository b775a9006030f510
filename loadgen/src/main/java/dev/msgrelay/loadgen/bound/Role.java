package dev.msgrelay.loadgen.bound;

/** What a process, or one of its threads, does in a run. */
public enum Role {
    PUBLISHER,
    RELAY,
    SUBSCRIBER
}
