package dev.msgrelay.loadgen.shootout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.experiment.LoadCell;
import dev.msgrelay.loadgen.experiment.LoadRuns;
import dev.msgrelay.loadgen.experiment.LoadRuns.Given;
import dev.msgrelay.loadgen.experiment.Run;
import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.link.Link;
import dev.msgrelay.loadgen.link.LinkSpeed;
import dev.msgrelay.loadgen.link.SegmentFormat;
import dev.msgrelay.loadgen.run.Contestant;
import dev.msgrelay.loadgen.run.Contestants;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.RunResult.Delays;
import dev.msgrelay.loadgen.run.SubscriberResult;
import dev.msgrelay.loadgen.run.SubscriberResult.Faults;
import dev.msgrelay.loadgen.run.SubscriberResult.Told;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.run.Verdict;
import dev.msgrelay.loadgen.shootout.ShootoutSettings.SearchSettings;
import dev.msgrelay.loadgen.site.Site;
import dev.msgrelay.protocol.CloseReason;
import java.time.Duration;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class RateProbeTest {
    private static final Timing SECOND = new Timing(Duration.ZERO, Duration.ofSeconds(1));
    private static final Contestant CONTESTANT = Contestants.plain(1);
    private static final SearchSettings FIVE_MILLIS = new SearchSettings(5_000_000, 40, 1_000_000_000L);
    private static final Link GIGABIT = new Link(LinkSpeed.parse("1g"), SegmentFormat.usual(1_500));

    @Test
    void theSearchStartsAtASixteenthOfTheLinkForAllWhoShareIt() {
        // 1,089,678 messages a second, for four publishers whose messages go out eight times.
        assertThat(probe(GIGABIT, point(4, 8, 0)).bounds().start()).isEqualTo(1_089_678 / 16 / 4 / 8);
        assertThat(probe(null, point(4, 8, 0)).bounds().start()).isEqualTo(2_500);
        assertThat(probe(null, point(100_000, 1, 0)).bounds().start()).isEqualTo(1);
    }

    @Test
    void aRunPassesWithinItsBound() throws Exception {
        Load point = point(1, 1, 1_000);
        assertThat(probe(null, point).failure(taken(point, 4_900_000, List.of())))
                .isEmpty();
        assertThat(probe(null, point).failure(taken(point, 5_100_000, List.of())))
                .isEqualTo("p99 5.10 ms, over 5.00 ms");
    }

    @Test
    void whatMakesARunInvalidIsSaidFirst() throws Exception {
        Load point = point(1, 1, 1_000);
        assertThat(probe(null, point).failure(taken(point, 90_000_000, List.of("3 messages lost"))))
                .isEqualTo("3 messages lost");
    }

    @Test
    void aLossThatThePolicyExplainsIsALoss() throws Exception {
        Load point = point(1, 2, 1_000);
        SubscriberResult got = new SubscriberResult(0, 1_000, Faults.NONE, Told.NOTHING, null, 0);
        SubscriberResult skipped =
                new SubscriberResult(1, 997, new Faults(3, 0, 0, 0, 0, 0), new Told(3, 1, 0), null, 0);
        SubscriberResult cutOff = new SubscriberResult(
                1, 1_000, Faults.NONE, Told.NOTHING, "cut off", CloseReason.SLOW_SUBSCRIBER.code());
        assertThat(probe(null, point).failure(with(point, got, skipped))).isEqualTo("subscriber 1: 3 messages lost");
        assertThat(probe(null, point).failure(with(point, got, cutOff)))
                .isEqualTo("subscriber 1: connection ended: cut off");
        assertThat(probe(null, point).failure(with(point, got, got))).isEmpty();
    }

    @Test
    void lateSendsAreWithinTheLatencyAlready() throws Exception {
        Load point = point(1, 1, 1_000);
        Run<RunResult> late = taken(point, new Given(1_000, 4_900_000, 3), List.of());
        assertThat(late.outcome().observed()).singleElement().asString().contains("schedule not kept: 3 of 1,000 ");
        assertThat(probe(null, point).failure(late)).isEmpty();
        assertThat(late.isDisturbed()).isFalse();
    }

    @Test
    void aRateThatWasNotReachedDoesNotPass() throws Exception {
        Load point = point(1, 1, 1_000);
        RunResult result = LoadRuns.result(CONTESTANT, point, SECOND, new Given(1_000, 4_900_000), 900);
        LoadCell cell = LoadCell.here("cell", CONTESTANT, point, SECOND, null);
        assertThat(probe(null, point).failure(LoadRuns.run(cell, 1, result, List.of(), List.of())))
                .isEqualTo("schedule not kept: of 1,000 msg/s 900 left the publishers and 900 reached each subscriber");
    }

    /** One message in 16 is timed, and none of the few was: that is no p99 of 0. */
    @Test
    void aRateWhoseLatencyNobodyKnowsDoesNotPass() throws Exception {
        Load point = point(1, 1, 1_000);
        RunResult known = taken(point, 4_900_000, List.of()).result();
        Delays none = new Delays(new Histogram(1), 16, null, null);
        RunResult result = new RunResult(
                known.contestant(),
                point,
                SECOND,
                known.sent(),
                known.throughput(),
                none,
                known.correctness(),
                known.resources(),
                List.of());
        LoadCell cell = LoadCell.here("cell", CONTESTANT, point, SECOND, null);
        Run<RunResult> run = LoadRuns.run(cell, 1, result, List.of(), List.of());
        assertThat(probe(null, point).failure(run)).isEqualTo("no message's latency was recorded");
    }

    private static RateProbe probe(Link link, Load point) {
        Lane lane = Lane.between(LaneSpec.of(LaneKind.GBE_1), Site.HERE, Site.HERE, link);
        return new RateProbe(lane, point, FIVE_MILLIS);
    }

    private static Load point(int publishers, int subscribers, int rate) {
        return Load.oneToOne(100).withCounts(publishers, subscribers).withRate(rate);
    }

    private static Run<RunResult> with(Load load, SubscriberResult... subscribers) throws Exception {
        return taken(load, new Given(load.rate(), 1_000, 0, List.of(subscribers)), List.of());
    }

    private static Run<RunResult> taken(Load load, long latencyNanos, List<String> faults) throws Exception {
        return taken(load, new Given(load.rate(), latencyNanos), faults);
    }

    private static Run<RunResult> taken(Load load, Given given, List<String> faults) throws Exception {
        LoadCell cell = LoadCell.here("cell", CONTESTANT, load, SECOND, null);
        RunResult result = LoadRuns.result(CONTESTANT, load, SECOND, given);
        return LoadRuns.run(cell, 1, result, faults, Verdict.environment(result));
    }
}
