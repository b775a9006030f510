package dev.msgrelay.loadgen.doctor;

import java.util.Locale;

/** What a finding means, from harmless to fatal. */
public enum Level {
    /** As it should be. */
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
