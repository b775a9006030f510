package dev.msgrelay.loadgen.report;

import dev.msgrelay.loadgen.doctor.Finding;
import dev.msgrelay.loadgen.doctor.Level;
import dev.msgrelay.loadgen.render.Unit;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The doctor's findings, for people. */
public final class DoctorReport {
    private DoctorReport() {}

    public static String line(Finding finding) {
        String level = finding.level().compareTo(Level.WARNING) >= 0
                ? finding.level().name()
                : finding.level().toString();
        return Unit.format("%-23s %-36s %-10s %s", finding.name(), finding.value(), level, finding.meaning())
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

    private static long count(List<Finding> findings, Level level) {
        return findings.stream().filter(finding -> finding.level() == level).count();
    }
}
