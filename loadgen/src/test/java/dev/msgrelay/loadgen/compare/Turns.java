package dev.msgrelay.loadgen.compare;

import dev.msgrelay.loadgen.experiment.Run;
import dev.msgrelay.loadgen.result.Regime;
import dev.msgrelay.loadgen.result.RunRecord.Hops;
import dev.msgrelay.loadgen.result.RunRecord.Outcome;
import java.util.List;
import java.util.Map;

/** Runs in turn that are made up. */
final class Turns {
    private Turns() {}

    /** A B B A. */
    static Side side(int number) {
        return number % 4 == 0 || number % 4 == 3 ? Side.A : Side.B;
    }

    static Run<Turn> run(Side side, int number, int round, Regime regime, Map<Figure, Double> figures) {
        return run(number, regime, new Turn(side, round, figures), List.of());
    }

    static Run<Turn> run(int number, Regime regime, Turn turn, List<String> marks) {
        Hops hops =
                switch (regime) {
                    case NEAR -> new Hops(50, 50);
                    case FAR -> new Hops(230, 230);
                    case CHANGED -> new Hops(50, 230);
                    case DISTURBED -> new Hops(9_000, 9_000);
                    case UNKNOWN -> Hops.NONE;
                };
        Outcome outcome = new Outcome(List.of(), marks, false);
        return new Run<>(null, number, number / 2 + 1, "2026-01-01T00:00:00Z", hops, turn, outcome);
    }
}
