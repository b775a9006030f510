package dev.msgrelay.server.admin;

import java.util.List;

/**
 * What came of reading the configuration again.
 *
 * @param taken false: nothing of it, the one before holds
 * @param lines for people: what was taken and what takes a restart; or what is wrong, with file and line
 */
public record Reload(boolean taken, List<String> lines) {
    public Reload {
        lines = List.copyOf(lines);
    }
}
