package dev.msgrelay.loadgen.compare;

import dev.msgrelay.loadgen.compare.PairedComparison.Ended;
import dev.msgrelay.loadgen.run.RunException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Runs A and B in turn, A B B A, until it is known well enough how they compare. It looks after each pair, but stops only because
 * the interval is narrow or the time is over, never because the difference looks real: who stops at the first look
 * that shows one finds one in the end, whether there is any or not.
 */
public final class InTurn {
    /** Fewer rounds may have been alike by chance, and so make an interval too narrow. */
    static final int MIN_ROUNDS = 8;

    /** What an hour has, about. */
    private static final int MAX_PAIRS = 500;

    private final Runner runner;
    private final List<Figure> figures;
    private final double withinPercent;
    private final long limitNanos;
    private final LongSupplier clock;

    /** Who runs one side once. */
    @FunctionalInterface
    public interface Runner {
        Turn run(Side side, int number) throws IOException, RunException, InterruptedException;
    }

    /**
     * @param withinPercent how wide the interval of the first figure may be
     * @param limitNanos no pair begins after so long
     * @param clock nanoseconds
     */
    public InTurn(Runner runner, List<Figure> figures, double withinPercent, long limitNanos, LongSupplier clock) {
        this.runner = runner;
        this.figures = figures;
        this.withinPercent = withinPercent;
        this.limitNanos = limitNanos;
        this.clock = clock;
    }

    /** Does it. What there is is returned however it ends: by an interrupt or a run that failed, too. */
    public PairedComparison compare(Consumer<PairedComparison> afterPair) throws IOException {
        long start = clock.getAsLong();
        List<Turn> turns = new ArrayList<>();
        while (true) {
            int number = turns.size();
            Side side = Side.ofTurn(number);
            try {
                Turn turn = runner.run(side, number);
                turns.add(turn);
                if (!turn.faults().isEmpty()) {
                    return failed(turns, side, number, turn.faults());
                }
            } catch (RunException e) {
                return failed(turns, side, number, List.of(e.getMessage()));
            } catch (InterruptedException e) {
                return PairedComparison.of(turns, figures, Ended.INTERRUPTED, List.of());
            }
            if (turns.size() % 2 == 0) {
                Ended ended = ended(turns, clock.getAsLong() - start);
                PairedComparison known = PairedComparison.of(turns, figures, ended, List.of());
                afterPair.accept(known);
                if (ended != Ended.NOT_YET) {
                    return known;
                }
            }
        }
    }

    private Ended ended(List<Turn> turns, long nanos) {
        Pairs pairs = Pairs.of(turns);
        PairedRow headline = PairedRow.of(figures.get(0), pairs);
        if (headline.rounds() >= MIN_ROUNDS && headline.widthPercent() <= withinPercent) {
            return Ended.NARROW;
        }
        return nanos >= limitNanos || turns.size() >= 2 * MAX_PAIRS ? Ended.TIME : Ended.NOT_YET;
    }

    private PairedComparison failed(List<Turn> turns, Side side, int number, List<String> faults) {
        String run = side + ", run " + (number + 1) + ": ";
        return PairedComparison.of(
                turns, figures, Ended.FAILED, faults.stream().map(run::concat).toList());
    }
}
