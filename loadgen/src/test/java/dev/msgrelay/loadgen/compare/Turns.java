package dev.msgrelay.loadgen.compare;

import dev.msgrelay.loadgen.result.Regime;
import dev.msgrelay.loadgen.result.Results.Side;
import dev.msgrelay.loadgen.result.Results.Turn;
import dev.msgrelay.loadgen.result.RunRecord.Hops;
import java.util.List;
import java.util.Map;

/** Runs in turn that are made up. */
final class Turns {
    private Turns() {}

    /** A B B A. */
    static Side side(int number) {
        return number % 4 == 0 || number % 4 == 3 ? Side.A : Side.B;
    }

    static Turn run(Side side, int number, int round, Regime regime, Figure figure, double value) {
        return run(side, number, round, regime, Map.of(figure.id(), value), List.of());
    }

    static Turn run(Side side, int number, int round, Regime regime, Map<String, Double> figures, List<String> marks) {
        Hops hops =
                switch (regime) {
                    case NEAR -> new Hops(50, 50);
                    case FAR -> new Hops(230, 230);
                    case CHANGED -> new Hops(50, 230);
                    case DISTURBED -> new Hops(9_000, 9_000);
                    case UNKNOWN -> Hops.NONE;
                };
        return new Turn(side, number, round, hops, figures, marks);
    }
}
