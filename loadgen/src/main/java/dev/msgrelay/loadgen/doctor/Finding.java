package dev.msgrelay.loadgen.doctor;

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
    public static Finding of(Level level, String name, String value, String meaning) {
        return new Finding(name, value, level, meaning, Map.of());
    }

    static Finding fine(String name, String value, String meaning) {
        return of(Level.FINE, name, value, meaning);
    }

    static Finding note(String name, String value, String meaning) {
        return of(Level.NOTE, name, value, meaning);
    }

    static Finding warning(String name, String value, String meaning) {
        return of(Level.WARNING, name, value, meaning);
    }

    /** Something that this system does not tell. */
    static Finding unknown(String name, String meaning) {
        return note(name, "unknown", meaning);
    }

    /** The same with one more figure. */
    Finding with(String key, Object figure) {
        Map<String, Object> more = new LinkedHashMap<>(figures);
        more.put(key, figure);
        return new Finding(name, value, level, meaning, more);
    }
}
