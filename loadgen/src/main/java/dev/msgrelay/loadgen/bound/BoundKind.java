package dev.msgrelay.loadgen.bound;

import java.util.Locale;

/** What can limit a run. */
public enum BoundKind {
    /** Nothing did: publishers had a schedule, and it was kept. */
    NOTHING,
    /** The network between the relay and one side. */
    LINK,
    /** The relay's busiest thread; with another middle, that one's. */
    RELAY_CPU,
    /** The publishers' own speed. */
    PUBLISHER,
    /** The slowest subscriber's reading. */
    SUBSCRIBER,
    /** Room in the relay's ring, while the relay itself was not busy. */
    RING,
    /** All cores of the machine together: whoever was slow was so because it waited for a core. */
    MACHINE,
    /** The numbers contradict each other, or too few of them are known. */
    UNCLEAR;

    /** As people say it: "relay CPU". */
    @Override
    public String toString() {
        return this == RELAY_CPU ? "relay CPU" : name().toLowerCase(Locale.ROOT);
    }
}
