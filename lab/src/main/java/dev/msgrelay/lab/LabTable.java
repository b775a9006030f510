package dev.msgrelay.lab;

import java.util.List;
import java.util.function.Function;

/**
 * Rows that are measured together, in turn, so that they may be compared.
 *
 * @param id a word, one of its kind in an experiment; the key in the JSON
 * @param title for people, with what is the same for all rows
 * @param contestants the rows, in the order in which they run
 * @param article the article's figures
 * @param judge the verdicts on the article's claims; see {@link Claim}
 * @param charts the plots that go with it; see {@link Plots}
 */
public record LabTable(
        String id,
        String title,
        List<Column> columns,
        List<Contestant> contestants,
        ArticleFigures article,
        Function<TableResult, List<Verdict>> judge,
        List<Function<TableResult, Chart>> charts) {}
