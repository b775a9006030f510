package dev.msgrelay.loadgen.host;

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

    /** "cores                   2 (Xeon)      note       publisher and relay share them". */
    public String line() {
        String shown = level.compareTo(Level.WARNING) >= 0 ? level.name() : level.toString();
        return String.format(Locale.ROOT, "%-23s %-36s %-10s %s", name, value, shown, meaning)
                .stripTrailing();
    }
}
