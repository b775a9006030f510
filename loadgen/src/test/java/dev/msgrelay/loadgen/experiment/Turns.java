package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.plan.Congestion;
import dev.msgrelay.loadgen.result.Results.Side;
import dev.msgrelay.loadgen.result.Results.Turn;
import dev.msgrelay.loadgen.result.RunRecord.Observed;
import dev.msgrelay.loadgen.result.RunRecord.Resources.Senders;
import java.util.List;
import java.util.Map;

/** Runs in turn that are made up. */
final class Turns {
    private static final Senders LIKE = new Senders(Congestion.of("cubic"), Congestion.of("cubic"));

    private Turns() {}

    /** A B B A. */
    static Side side(int number) {
        return number % 4 == 0 || number % 4 == 3 ? Side.A : Side.B;
    }

    static Turn run(Side side, int number, int round, Figure figure, double value) {
        return run(side, number, round, Map.of(figure.id(), value), List.of());
    }

    static Turn run(Side side, int number, int round, Map<String, Double> figures, List<String> leftOut) {
        return new Turn(side, number, round, figures, LIKE, leftOut, List.of());
    }

    /** The same run, through a contestant that sends by this congestion control. */
    static Turn by(Turn run, String congestion) {
        Senders senders = new Senders(Congestion.of("cubic"), Congestion.of(congestion));
        return new Turn(run.side(), run.number(), run.round(), run.figures(), senders, run.leftOut(), run.observed());
    }

    /** The same run, with something that became of it. */
    static Turn with(Turn run, Observed.Kind kind) {
        List<Observed> observed = List.of(new Observed(kind, kind.verb()));
        return new Turn(run.side(), run.number(), run.round(), run.figures(), run.senders(), run.leftOut(), observed);
    }
}
