package dev.msgrelay.loadgen.result;

import dev.msgrelay.loadgen.result.RunRecord.Delays;
import dev.msgrelay.loadgen.result.Counted.Spread;
import dev.msgrelay.loadgen.result.RunRecord.Throughput;

import picocli.CommandLine.Parameters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.msgrelay.loadgen.result.Cell.Ceilings;
import dev.msgrelay.loadgen.result.Cell.Ceilings.Rate;
import dev.msgrelay.loadgen.result.LaneResult.Place;
import dev.msgrelay.loadgen.result.LaneResult.Places;
import dev.msgrelay.loadgen.result.RunRecord.Moment;
import dev.msgrelay.loadgen.plan.Clients;
import dev.msgrelay.loadgen.plan.Traffic;
import java.util.List;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** Medians, ratios and fractions. */
class FiguresTest {
    private static final long SECOND = 1_000_000_000L;
    private static final Ceilings LINK = new Ceilings(Ceilings.LINK, new Rate(10, 1_000), null);
    private static final Ceilings PLAIN = new Ceilings(Ceilings.PLAIN_RELAY, new Rate(10, 1_000), null);

    /** A run that stood still is a result like any other; a machine that did other things is none. */
    @Test
    void aMedianIsOverTheRunsThatCount() {
        Cell cell = cell(Runs.run(100), Runs.disturbed(20), Runs.stoodStill(90), Runs.run(110), Runs.failed(1));
        Counted counted = Counted.of(cell);
        assertThat(counted.over(Figures::out)).isEqualTo(new Spread(100, 90, 110));
        assertThat(counted.counts()).isTrue();
        assertThat(counted.total()).isEqualTo(5);
        assertThat(Tally.of(cell.runs()))
                .isEqualTo(new Tally(3, 1, 1))
                .hasToString("3 runs count; left out: 1 on a disturbed machine, 1 failed or partial");
    }

    @Test
    void whereNoRunCountsTheValidOnesHaveAMedian() {
        Counted counted = Counted.of(cell(Runs.disturbed(20), Runs.disturbed(30), Runs.failed(99)));
        assertThat(counted.median(Figures::out)).isEqualTo(25);
        assertThat(counted.counts()).isFalse();
        assertThat(counted.total()).isEqualTo(3);
    }

    /** With none above it, a percentile would be the longest of all, by another name. */
    @Test
    void aPercentileIsKnownWhereAMessageLiesAboveIt() {
        assertThat(delays(99).at(Delay.LATENCY, 99)).isNaN();
        assertThat(delays(100).at(Delay.LATENCY, 99)).isEqualTo(99);
        assertThat(delays(999).at(Delay.LATENCY, 99.9)).isNaN();
        assertThat(delays(1_000).at(Delay.LATENCY, 99.9)).isEqualTo(999);
        assertThat(delays(1).at(Delay.LATENCY, 50)).isNaN();
        assertThat(delays(1).at(Delay.LATENCY, 100)).isEqualTo(1);
        assertThat(Delays.NONE.at(Delay.LATENCY, 100)).isNaN();
    }

    /** Of so many messages, with latencies of 1, 2, 3 and so on. */
    private static Delays delays(int messages) {
        Histogram latency = new Histogram(3);
        IntStream.rangeClosed(1, messages).forEach(latency::recordValue);
        return new Delays(latency, 1, null, null);
    }

    @Test
    void lanesAreComparedByRoundsInWhichBothCount() {
        Cell reference = cell(in(1, Runs.run(100)), in(2, Runs.disturbed(7)), in(3, Runs.run(200)));
        Cell other = cell(in(1, Runs.run(150)), in(2, Runs.run(9)), in(3, Runs.run(400)));
        assertThat(Figures.ratio(other, reference)).isEqualTo(new Spread(1.75, 1.5, 2.0));
    }

    @Test
    void withoutAPairThereIsNoRatio() {
        Cell reference = cell(in(1, Runs.run(100)));
        Cell other = cell(in(2, Runs.run(150)));
        assertThat(Figures.ratio(other, reference).isKnown()).isFalse();
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
        Places places = new Places(publishers, subscribers);
        return Ceilings.against(
                ceilings, places, new Traffic(2, 200, SECOND), new Traffic(8, 800, SECOND), 4, List.of());
    }

    private static Cell cell(RunRecord... runs) {
        return new Cell(
                new Parameters(new Parameters.Body("100", 100), 1, 1, 0, 0, 1, Clients.RAW), null, List.of(runs));
    }

    private static RunRecord in(int round, RunRecord run) {
        return new RunRecord(
                new Moment(
                        round,
                        run.moment().started(),
                        run.moment().warmupNanos(),
                        run.moment().measuredNanos()),
                run.throughput(),
                run.delays(),
                run.correctness(),
                run.resources(),
                run.outcome());
    }
}
