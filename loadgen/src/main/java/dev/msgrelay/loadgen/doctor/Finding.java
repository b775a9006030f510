package dev.msgrelay.loadgen.doctor;

import static dev.msgrelay.loadgen.render.Unit.format;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One line of the doctor's report. Immutable.
 *
 * @param name what was looked at
 * @param value what was found, for people
 * @param meaning what that means for a run, in plain words
 * @param figures the same as plain numbers and words, for programs; the keys name their units
 */
public record Finding(String name, String value, Level level, String meaning, Map<String, Object> figures) {
    private static final String UNKNOWN = "unknown";
    private static final double KILO = 1e3;
    private static final double MEGA = 1e6;
    private static final double GIGA = 1e9;

    public static Finding of(Level level, String name, String value, String meaning) {
        return new Finding(name, value, level, meaning, Map.of());
    }

    /**
     * What was looked at, and what was found. What it means is said by the next calls: the first one that holds counts.
     *
     * @param value null where this system does not tell
     */
    static Finding at(String name, Object value) {
        return new Finding(name, value == null ? UNKNOWN : value.toString(), null, null, Map.of());
    }

    /** Where this system does not tell. */
    Finding unknown(String ifUnknown) {
        return when(value.equals(UNKNOWN), Level.NOTE, ifUnknown);
    }

    Finding warning(boolean holds, String ifSo) {
        return when(holds, Level.WARNING, ifSo);
    }

    Finding note(boolean holds, String ifSo) {
        return when(holds, Level.NOTE, ifSo);
    }

    Finding fine(boolean holds, String ifSo) {
        return when(holds, Level.FINE, ifSo);
    }

    /** In all other cases. */
    Finding warning(String otherwise) {
        return warning(true, otherwise);
    }

    /** In all other cases. */
    Finding note(String otherwise) {
        return note(true, otherwise);
    }

    /** In all other cases. */
    Finding fine(String otherwise) {
        return fine(true, otherwise);
    }

    Finding when(boolean holds, Level then, String ifSo) {
        return level != null || !holds ? this : new Finding(name, value, then, ifSo, figures);
    }

    /** The same with one more figure, where there is one. */
    Finding with(String key, Object figure) {
        if (figure == null) {
            return this;
        }
        Map<String, Object> more = new LinkedHashMap<>(figures);
        more.put(key, figure);
        return new Finding(name, value, level, meaning, more);
    }

    /** Bytes in decimal units: "850 bytes", "131 kB", "4.2 MB", "25.3 GB". */
    static String bytes(long bytes) {
        if (bytes >= GIGA) {
            return format("%.1f GB", bytes / GIGA);
        }
        if (bytes >= MEGA) {
            return format("%.1f MB", bytes / MEGA);
        }
        return bytes >= 10 * KILO ? format("%.0f kB", bytes / KILO) : format("%,d bytes", bytes);
    }
}
