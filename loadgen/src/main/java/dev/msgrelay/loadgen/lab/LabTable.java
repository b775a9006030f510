package dev.msgrelay.loadgen.lab;

import java.util.List;

/**
 * What is measured together, in turn, so that its rows may be compared.
 *
 * @param id a word, one of its kind in an experiment; the key in the JSON
 * @param title for people, with what is the same for all rows
 * @param contestants the rows, in the order in which they run
 * @param claims the article's figures
 * @param charts the plots that go with it
 * @param judge makes the findings
 */
public record LabTable(
        String id,
        String title,
        List<Column> columns,
        List<Contestant> contestants,
        Claims claims,
        List<Chart> charts,
        Judge judge) {
    /** Computes sentences from figures. See {@link Findings}. */
    @FunctionalInterface
    public interface Judge {
        List<Finding> judge(TableResult table);
    }
}
