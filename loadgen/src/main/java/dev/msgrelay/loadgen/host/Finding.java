package dev.msgrelay.loadgen.host;

import dev.msgrelay.loadgen.render.Wrapped;
import java.util.Locale;

/**
 * One line in the report of {@code loadgen doctor}. The value is a text for people.
 *
 * @param ratio speed of loopback with the host's congestion control, divided by its speed with a congestion control
 *     that does not pace; NaN if it was not measured, and for all other findings
 */
public record Finding(String name, String value, Level level, String meaning, double ratio) {
    Finding(String name, String value, Level level, String meaning) {
        this(name, value, level, meaning, Double.NaN);
    }

    public enum Level {
        FINE,
        /** A fact that helps to understand figures, or a fact that is not known. */
        NOTE,
        /** A fact that makes figures doubtful, or makes some runs fail. */
        WARNING,
        /** A fact that prevents all runs. */
        IMPOSSIBLE;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Formats a finding, wrapped: "WARNING load average: 1.70 on 2 cores; something else was at work". */
    public String line() {
        String shown = level.compareTo(Level.WARNING) >= 0 ? level.name() : level.toString();
        String line = String.format(Locale.ROOT, "%-10s  %s: %s; %s", shown, name, value, meaning);
        return Wrapped.at(" ".repeat(12), line);
    }
}
