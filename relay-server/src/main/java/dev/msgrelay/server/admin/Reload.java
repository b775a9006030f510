package dev.msgrelay.server.admin;

import java.util.List;

/**
 * The result of a reload.
 *
 * @param taken true: the new configuration is in force, as far as a running relay can take it; false: the former one
 *     is, whole
 * @param lines lines for people: the settings that were taken, and those that need a restart; or the error, with file
 *     and line
 */
public record Reload(boolean taken, List<String> lines) {
    public Reload {
        lines = List.copyOf(lines);
    }
}
