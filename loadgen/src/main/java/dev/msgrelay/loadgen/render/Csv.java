package dev.msgrelay.loadgen.render;

import java.math.BigDecimal;
import java.util.stream.Collectors;

/** A table as CSV (RFC 4180): the columns' titles, then a line for each row, with plain numbers. */
public final class Csv {
    private static final String LINE_END = "\r\n";

    private Csv() {}

    public static String of(Table table) {
        StringBuilder out = new StringBuilder();
        out.append(table.columns().stream()
                        .map(column -> quoted(column.title()))
                        .collect(Collectors.joining(",")))
                .append(LINE_END);
        table.rows().forEach(row -> out.append(row.stream().map(Csv::text).collect(Collectors.joining(",")))
                .append(LINE_END));
        return out.toString();
    }

    private static String text(Table.Value value) {
        if (value.number() == null) {
            return quoted(value.text());
        }
        if (value.number() instanceof Double number) {
            return Double.isFinite(number)
                    ? new BigDecimal(number.toString()).stripTrailingZeros().toPlainString()
                    : "";
        }
        return value.number().toString();
    }

    private static String quoted(String text) {
        boolean plain = text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\r' || c == '\n');
        return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
    }
}
