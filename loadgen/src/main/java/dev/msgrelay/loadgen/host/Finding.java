package dev.msgrelay.loadgen.host;

import dev.msgrelay.loadgen.render.Wrapped;
import java.util.Locale;

/** One line in the report of {@code loadgen doctor}. The value is for people. */
public record Finding(String name, String value, Level level, String meaning) {
    public enum Level {
        FINE,
        /** A fact that helps to understand figures, or one that is not known. */
        NOTE,
        /** A fact that makes figures doubtful, or some runs fail. */
        WARNING,
        /** A fact that prevents all runs. */
        IMPOSSIBLE;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** "WARNING load average: 1.70 on 2 cores; something else was at work", wrapped. */
    public String line() {
        String shown = level.compareTo(Level.WARNING) >= 0 ? level.name() : level.toString();
        String line = String.format(Locale.ROOT, "%-10s  %s: %s; %s", shown, name, value, meaning);
        return Wrapped.at(" ".repeat(12), line);
    }
}
