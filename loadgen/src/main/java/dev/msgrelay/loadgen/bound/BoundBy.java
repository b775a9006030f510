package dev.msgrelay.loadgen.bound;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The bottleneck of a run.
 *
 * @param confidence in that
 * @param reasons sentences with the numbers, the decisive one first; at least one
 * @param alternatives what it may have been as well, the likelier first; mostly empty
 * @param unseen what could not be looked at, so that nothing follows from its absence; mostly empty
 */
public record BoundBy(
        Kind kind, Confidence confidence, List<String> reasons, List<Kind> alternatives, List<String> unseen) {

    public BoundBy {
        reasons = List.copyOf(reasons);
        alternatives = List.copyOf(alternatives);
        unseen = List.copyOf(unseen);
    }

    /** "relay CPU (low confidence; or machine)". */
    public String text() {
        List<String> doubts = new ArrayList<>();
        if (confidence != Confidence.HIGH) {
            doubts.add(confidence + " confidence");
        }
        if (!alternatives.isEmpty()) {
            doubts.add("or " + alternatives.stream().map(Kind::toString).collect(Collectors.joining(", or ")));
        }
        return kind + (doubts.isEmpty() ? "" : " (" + String.join("; ", doubts) + ")");
    }

    /** Limits of a run. */
    public enum Kind {
        /** Nothing did: publishers had a schedule, and it was kept. */
        NOTHING,
        /** The network between the relay and one side. */
        LINK,
        /** The relay's busiest thread; with another contestant, that one's. */
        RELAY_CPU,
        /** The relay, or the machine that it runs on, of which nothing can be seen from here. */
        RELAY_HOST,
        /** The relay stood still for moments, although nothing near it did. */
        RELAY_PAUSES,
        /** The publishers' own speed, or that they stood still. */
        PUBLISHER,
        /** The slowest subscriber's reading. */
        SUBSCRIBER,
        /** Room in the relay's ring, while the relay itself was not busy. */
        RING,
        /** All cores of the machine together: whoever was slow was so because it waited for a core. */
        MACHINE,
        /** The numbers contradict each other, or too few of them are known. */
        UNCLEAR;

        /** Text for people: "relay CPU", "relay pauses". */
        @Override
        public String toString() {
            return switch (this) {
                case RELAY_CPU -> "relay CPU";
                case RELAY_HOST -> "relay or its host";
                default -> name().toLowerCase(Locale.ROOT).replace('_', ' ');
            };
        }
    }

    /** How well the numbers support what is said. */
    public enum Confidence {
        /** Two independent signals agree. */
        HIGH,
        /** One signal says so, and none contradicts it. */
        MEDIUM,
        /** No signal speaks against it, or others are nearly as likely. */
        LOW;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
