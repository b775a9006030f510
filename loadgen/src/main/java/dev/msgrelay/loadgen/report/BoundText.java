package dev.msgrelay.loadgen.report;

import dev.msgrelay.loadgen.bound.BoundBy;
import dev.msgrelay.loadgen.bound.BoundKind;
import dev.msgrelay.loadgen.bound.Confidence;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** What a run was bound by, for people. */
final class BoundText {
    private BoundText() {}

    /** The verdict with its first reason, then the other reasons, then what was not seen. */
    static List<String> lines(BoundBy bound) {
        List<String> lines = new ArrayList<>();
        lines.add("  bound by  " + bound.kind() + doubt(bound) + ": "
                + bound.reasons().get(0));
        bound.reasons().stream().skip(1).forEach(reason -> lines.add("            " + reason));
        if (!bound.unseen().isEmpty() && bound.kind() != BoundKind.NOTHING) {
            lines.add("            not seen: " + String.join(", ", bound.unseen()));
        }
        return lines;
    }

    private static String doubt(BoundBy bound) {
        List<String> doubts = new ArrayList<>();
        if (bound.confidence() != Confidence.HIGH) {
            doubts.add(bound.confidence() + " confidence");
        }
        if (!bound.alternatives().isEmpty()) {
            doubts.add("or "
                    + bound.alternatives().stream().map(BoundKind::toString).collect(Collectors.joining(", or ")));
        }
        return doubts.isEmpty() ? "" : " (" + String.join("; ", doubts) + ")";
    }
}
