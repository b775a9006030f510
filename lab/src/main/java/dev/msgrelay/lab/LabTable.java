package dev.msgrelay.lab;

import java.util.List;
import java.util.function.Function;

/**
 * A table. Its rows are measured in turn, so that they may be compared.
 *
 * @param id a word that is unique within the experiment; the key in the JSON
 * @param judge judges the article's claims, see {@link Claim}
 * @param charts creates the plots of the table, see {@link Plots}
 */
public record LabTable(
        String id,
        String title,
        List<Column> columns,
        List<Contestant> contestants,
        ArticleFigures article,
        Function<TableResult, List<Verdict>> judge,
        List<Function<TableResult, Chart>> charts) {}
