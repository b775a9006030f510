package dev.msgrelay.loadgen.evidence;

import java.util.List;
import java.util.Locale;

/** The bottleneck of a run. The reasons are sentences with figures, the most important first. */
public record BoundBy(Kind kind, List<String> reasons) {
    public enum Kind {
        /** No bottleneck: publishers sent at a fixed rate, and the rate was kept. */
        NOTHING,
        LINK,
        /** The relay or another contestant, because of its busiest thread, its full ring, or its pauses. */
        RELAY,
        /** The relay or its machine. From this host, the two cannot be distinguished. */
        RELAY_HOST,
        /** The publishers' own speed, or a standstill of their process. */
        PUBLISHER,
        SUBSCRIBER,
        /** All cores of the machine were busy, and a thread was slow because it waited for a core. */
        MACHINE,
        /** The figures contradict each other, or too few of them are known. */
        UNCLEAR;

        @Override
        public String toString() {
            return this == RELAY_HOST ? "relay or its host" : name().toLowerCase(Locale.ROOT);
        }
    }
}
