package dev.msgrelay.loadgen.evidence;

import java.util.List;
import java.util.Locale;

/**
 * The bottleneck of a run.
 *
 * @param reasons sentences with the numbers, the decisive one first; at least one
 */
public record BoundBy(Kind kind, List<String> reasons) {
    public enum Kind {
        /** Publishers had a schedule, and it was kept. */
        NOTHING,
        /** The network between the relay and one side. */
        LINK,
        /** The relay, or another contestant: its busiest thread, room in its ring, or its pauses. */
        RELAY,
        /** The relay or its machine, which cannot be told apart from here. */
        RELAY_HOST,
        /** The publishers' own speed, or a stand-still of their process. */
        PUBLISHER,
        /** The slowest subscriber's reading. */
        SUBSCRIBER,
        /** All cores of the machine together: a thread was slow because it waited for a core. */
        MACHINE,
        /** The numbers contradict each other, or too few of them are known. */
        UNCLEAR;

        @Override
        public String toString() {
            return this == RELAY_HOST ? "relay or its host" : name().toLowerCase(Locale.ROOT);
        }
    }
}
