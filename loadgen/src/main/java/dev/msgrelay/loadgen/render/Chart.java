package dev.msgrelay.loadgen.render;

import java.util.List;

/**
 * Curves over a common x.
 *
 * @param note one line under the title; may be empty
 */
public record Chart(String title, String note, Axis x, Axis y, List<Series> series) {
    public Chart {
        series = List.copyOf(series);
    }
}
