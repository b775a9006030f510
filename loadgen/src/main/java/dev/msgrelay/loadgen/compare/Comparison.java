package dev.msgrelay.loadgen.compare;

import java.util.List;

/**
 * All that could be compared, and what could not.
 *
 * @param leftOut one line each: which runs, cells or machines, and why; and what differs although it was not left out
 */
public record Comparison(List<CellComparison> cells, List<String> leftOut) {
    public Comparison {
        cells = List.copyOf(cells);
        leftOut = List.copyOf(leftOut);
    }
}
