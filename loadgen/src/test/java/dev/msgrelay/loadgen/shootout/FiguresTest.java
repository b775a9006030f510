package dev.msgrelay.loadgen.shootout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.msgrelay.loadgen.result.Ceilings;
import dev.msgrelay.loadgen.result.Ceilings.Rate;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Flow;
import dev.msgrelay.loadgen.result.Moment;
import dev.msgrelay.loadgen.result.Parameters;
import dev.msgrelay.loadgen.result.Places;
import dev.msgrelay.loadgen.result.Places.Place;
import dev.msgrelay.loadgen.result.Regime;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecords;
import dev.msgrelay.loadgen.result.Throughput;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Medians, ratios and fractions. */
class FiguresTest {
    private static final long SECOND = 1_000_000_000L;
    private static final Ceilings LINK = new Ceilings(Ceilings.LINK, new Rate(10, 1_000), null);
    private static final Ceilings PLAIN = new Ceilings(Ceilings.PLAIN_RELAY, new Rate(10, 1_000), null);

    @Test
    void aMedianIsOverRunsOfOneRegime() {
        Cell cell = cell(Runs.run(50, 50, 100), Runs.run(230, 230, 20), Runs.run(50, 55, 120), Runs.run(45, 45, 110));
        CellFigures figures = CellFigures.of(cell, RegimeChoice.of(cell.runs()));
        assertThat(figures.outMessages()).isEqualTo(new Spread(110, 100, 120));
        assertThat(figures.regime()).isEqualTo(Regime.NEAR);
        assertThat(figures.comparable()).isTrue();
    }

    @Test
    void aCellOfAnotherRegimeThanMostIsNotComparable() {
        Cell far = cell(Runs.run(230, 230, 20));
        CellFigures figures = CellFigures.of(far, new RegimeChoice(Regime.NEAR, Map.of(Regime.NEAR, 5), 0));
        assertThat(figures.outMessages().median()).isEqualTo(20);
        assertThat(figures.comparable()).isFalse();
    }

    @Test
    void lanesAreComparedByRoundsInWhichBothCount() {
        Cell reference = cell(in(1, Runs.run(50, 50, 100)), in(2, Runs.run(50, 230, 7)), in(3, Runs.run(50, 50, 200)));
        Cell other = cell(in(1, Runs.run(50, 50, 150)), in(2, Runs.run(50, 50, 9)), in(3, Runs.run(50, 50, 400)));
        RegimeChoice choice = new RegimeChoice(Regime.NEAR, Map.of(Regime.NEAR, 5), 0);
        LaneRatio ratio = LaneRatio.of(other, reference, choice);
        assertThat(ratio.pairs()).isEqualTo(2);
        assertThat(ratio.ratio()).isEqualTo(new Spread(1.75, 1.5, 2.0));
    }

    @Test
    void withoutAPairThereIsNoRatio() {
        Cell reference = cell(in(1, Runs.run(50, 50, 100)));
        Cell other = cell(in(2, Runs.run(50, 50, 150)));
        RegimeChoice choice = RegimeChoice.of(reference.runs());
        assertThat(LaneRatio.of(other, reference, choice).ratio().isKnown()).isFalse();
    }

    @Test
    void overALinkOnlyWhoIsAcrossItHasAFraction() {
        Throughput out = fractions(LINK, Place.NEAR, Place.FAR);
        assertThat(out.ingressFraction()).isNaN();
        assertThat(out.egressFraction()).as("of all four together").isCloseTo(0.8, within(1e-9));
        Throughput in = fractions(LINK, Place.FAR, Place.NEAR);
        assertThat(in.ingressFraction()).isCloseTo(0.2, within(1e-9));
        assertThat(in.egressFraction()).isNaN();
        Throughput both = fractions(LINK, Place.FAR, Place.FAR);
        assertThat(both.ingressFraction()).isCloseTo(0.2, within(1e-9));
        assertThat(both.egressFraction()).isCloseTo(0.8, within(1e-9));
    }

    @Test
    void withoutALinkASubscribersShareCameIn() {
        Throughput plain = fractions(PLAIN, Place.NEAR, Place.NEAR);
        assertThat(plain.ingressFraction()).as("200 of a quarter of 1000").isCloseTo(0.8, within(1e-9));
        assertThat(plain.egressFraction()).isCloseTo(0.8, within(1e-9));
    }

    @Test
    void withoutACeilingThereIsNoFraction() {
        assertThat(fractions(null, Place.FAR, Place.FAR).egressFraction()).isNaN();
    }

    /** Four subscribers get 200 bytes a second each. */
    private static Throughput fractions(Ceilings ceilings, Place publishers, Place subscribers) {
        RunRecords.Around around =
                new RunRecords.Around(new Places(publishers, subscribers), ceilings, List.of(), null, null, "here");
        return RunRecords.throughput(new Flow(2, 200, SECOND), new Flow(8, 800, SECOND), 4, around);
    }

    private static Cell cell(RunRecord... runs) {
        return new Cell(new Parameters(Parameters.Body.fixed(100), 1, 1, 0, 0, 0), null, List.of(runs));
    }

    private static RunRecord in(int round, RunRecord run) {
        return new RunRecord(
                new Moment(
                        round,
                        run.moment().started(),
                        run.moment().warmupNanos(),
                        run.moment().measuredNanos()),
                run.hops(),
                run.throughput(),
                run.delays(),
                run.correctness(),
                run.resources(),
                run.outcome());
    }
}
