package dev.msgrelay.loadgen.lab.output;

import dev.msgrelay.loadgen.lab.ExperimentResult;
import dev.msgrelay.loadgen.lab.Finding;
import dev.msgrelay.loadgen.lab.RowResult;
import dev.msgrelay.loadgen.lab.TableResult;
import java.util.List;
import java.util.Locale;

/** An experiment's tables and findings as plain text. */
public final class LabText {
    private LabText() {}

    /** Everything of one experiment. */
    public static String of(ExperimentResult experiment) {
        StringBuilder text = new StringBuilder();
        text.append(experiment.name())
                .append(": ")
                .append(experiment.question())
                .append('\n');
        text.append("  article: ").append(experiment.article().citation());
        text.append("; ").append(experiment.article().conditions()).append('\n');
        experiment
                .remarks()
                .forEach(remark -> text.append("  note: ").append(remark).append('\n'));
        if (experiment.failure() != null) {
            text.append("  FAILED: ").append(experiment.failure()).append('\n');
        }
        experiment.tables().forEach(table -> append(text, table));
        return text.toString();
    }

    private static void append(StringBuilder text, TableResult result) {
        text.append('\n').append("  ").append(result.table().title()).append('\n');
        appendCells(text, TableText.of(result).lines());
        for (RowResult row : result.rows()) {
            if (row.failed()) {
                text.append("  FAILED ")
                        .append(row.label())
                        .append(": ")
                        .append(row.failure())
                        .append('\n');
            }
        }
        text.append("  ").append(TableText.rounds(result)).append('\n');
        for (Finding finding : result.table().judge().judge(result)) {
            text.append("  - ").append(finding).append('\n');
        }
    }

    private static void appendCells(StringBuilder text, List<List<String>> lines) {
        int[] widths = new int[lines.get(0).size()];
        for (List<String> line : lines) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        }
        for (List<String> line : lines) {
            text.append("    ").append(pad(line.get(0), -widths[0]));
            for (int i = 1; i < widths.length; i++) {
                text.append("  ").append(pad(line.get(i), widths[i]));
            }
            text.append('\n');
        }
    }

    private static String pad(String cell, int width) {
        return String.format(Locale.ROOT, "%" + (width == 0 ? 1 : width) + "s", cell);
    }
}
