package dev.msgrelay.loadgen.host;

import dev.msgrelay.loadgen.render.Wrapped;
import java.util.Locale;

/**
 * One line of the doctor's report.
 *
 * @param value the fact, for people; "unknown" where this system does not tell
 * @param meaning for a run, in plain words
 */
public record Finding(String name, String value, Level level, String meaning) {
    public enum Level {
        FINE,
        /** To be known when figures are read, or cannot be found out. */
        NOTE,
        /** Spoils figures, or makes some runs fail. */
        WARNING,
        /** No run can be made. */
        IMPOSSIBLE;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** "WARNING     load average: 1.70 on 2 cores; something else was at work", wrapped, with its line's end. */
    public String line() {
        String shown = level.compareTo(Level.WARNING) >= 0 ? level.name() : level.toString();
        String line = String.format(Locale.ROOT, "%-10s  %s: %s; %s", shown, name, value, meaning);
        return Wrapped.at(" ".repeat(12), line);
    }
}
