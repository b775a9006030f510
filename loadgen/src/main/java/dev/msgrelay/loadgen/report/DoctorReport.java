package dev.msgrelay.loadgen.report;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonWriter;
import dev.msgrelay.loadgen.doctor.Finding;
import dev.msgrelay.loadgen.doctor.Level;
import dev.msgrelay.loadgen.measure.Machine;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The doctor's findings, for people and for programs. */
public final class DoctorReport {
    private DoctorReport() {}

    /** One line. */
    public static String line(Finding finding) {
        String level = finding.level().compareTo(Level.WARNING) >= 0
                ? finding.level().name()
                : finding.level().toString();
        return Units.format("%-23s %-36s %-10s %s", finding.name(), finding.value(), level, finding.meaning())
                .stripTrailing();
    }

    /** How many of each level there are, and what follows. */
    public static String summary(List<Finding> findings) {
        String counts = Arrays.stream(Level.values())
                .filter(level -> count(findings, level) > 0)
                .map(level -> counted(level, count(findings, level)))
                .collect(Collectors.joining(", "));
        return counts + (runsArePossible(findings) ? ": runs are possible" : ": runs are not possible");
    }

    private static String counted(Level level, long count) {
        boolean plural = count > 1 && (level == Level.NOTE || level == Level.WARNING);
        return count + " " + level + (plural ? "s" : "");
    }

    public static boolean runsArePossible(List<Finding> findings) {
        return count(findings, Level.IMPOSSIBLE) == 0;
    }

    /** A whole document. */
    public static String json(List<Finding> findings) {
        JsonObject json = new JsonObject();
        json.put("runsPossible", runsArePossible(findings));
        json.put("machine", Machine.here().toJson());
        JsonArray list = new JsonArray();
        findings.forEach(finding -> list.add(json(finding)));
        json.put("findings", list);
        return JsonWriter.indent("  ").string().value(json).done();
    }

    private static JsonObject json(Finding finding) {
        JsonObject json = new JsonObject();
        json.put("name", finding.name());
        json.put("value", finding.value());
        json.put("verdict", finding.level().toString());
        json.put("meaning", finding.meaning());
        JsonObject figures = new JsonObject();
        for (Map.Entry<String, Object> figure : finding.figures().entrySet()) {
            Object value = figure.getValue();
            figures.put(figure.getKey(), value instanceof Collection<?> list ? new JsonArray(list) : value);
        }
        json.put("figures", figures);
        return json;
    }

    private static long count(List<Finding> findings, Level level) {
        return findings.stream().filter(finding -> finding.level() == level).count();
    }
}
