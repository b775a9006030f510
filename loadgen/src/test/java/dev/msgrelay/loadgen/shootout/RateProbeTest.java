package dev.msgrelay.loadgen.shootout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.lane.LaneLink;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.lane.Lanes;
import dev.msgrelay.loadgen.link.LinkSpeed;
import dev.msgrelay.loadgen.link.SegmentFormat;
import dev.msgrelay.loadgen.load.BodySizes;
import dev.msgrelay.loadgen.result.Hops;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.Middles;
import dev.msgrelay.loadgen.run.Placement;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.SubscriberResult;
import dev.msgrelay.loadgen.run.SubscriberResult.Faults;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.run.Verdict;
import dev.msgrelay.loadgen.shootout.FakeRig.Given;
import dev.msgrelay.loadgen.shootout.MaxRateSearch.Bounds;
import dev.msgrelay.loadgen.shootout.ShootoutSettings.SearchSettings;
import dev.msgrelay.loadgen.shootout.Step.What;
import dev.msgrelay.loadgen.site.Site;
import dev.msgrelay.protocol.CloseReason;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class RateProbeTest {
    private static final SearchSettings FIVE_MILLIS = new SearchSettings(5_000_000, 40, 1_000_000_000L);
    private static final LaneLink GIGABIT = new LaneLink(LinkSpeed.parse("1g"), SegmentFormat.usual(1_500));

    @Test
    void theSearchStartsAtASixteenthOfTheLinkForAllWhoShareIt() {
        // 1,089,678 messages a second, for four publishers whose messages go out eight times.
        assertThat(probe(GIGABIT, point(4, 8, 0)).bounds().start()).isEqualTo(1_089_678 / 16 / 4 / 8);
        assertThat(probe(null, point(4, 8, 0)).bounds().start()).isEqualTo(2_500);
        assertThat(probe(null, point(100_000, 1, 0)).bounds().start()).isEqualTo(1);
    }

    @Test
    void aSearchWithBatchesStartsWhereWritesHardlyWaitForTheirLastMessage() {
        // 99 messages after the first one within a quarter of 5 ms.
        Bounds bounds = probe(null, batched(1, 100)).bounds();
        assertThat(bounds.lowest()).isEqualTo(79_200);
        assertThat(bounds.start()).isEqualTo(79_200);
        assertThat(probe(null, batched(8, 100)).bounds().lowest())
                .as("of each publisher")
                .isEqualTo(79_200);
        assertThat(probe(null, batched(1, 2)).bounds().start())
                .as("the usual start is high enough")
                .isEqualTo(10_000);
        assertThat(probe(null, batched(1, 2)).bounds().lowest()).isEqualTo(800);
        assertThat(probe(null, batched(1, 1)).bounds().lowest()).isEqualTo(1);
        assertThat(probe(null, batched(1, 100_000)).bounds().lowest()).isEqualTo(RateProbe.HIGHEST);
    }

    @Test
    void whereTheLowestRateOfABatchFailsItIsSaidWhyNoneBelowWasTried() throws Exception {
        RateProbe probe = probe(null, batched(1, 100));
        MaxRateSearch search = new MaxRateSearch(probe.bounds(), rate -> "p99 7.00 ms", () -> 0);
        MaxRateSearch.Result result = search.run();
        assertThat(result.attempts()).hasSize(2).allMatch(attempt -> attempt.rate() == 79_200);
        assertThat(probe.found(result).notes())
                .containsExactly("below 79,200 msg/s of each publisher nothing was tried: there, writes of 100 messages"
                        + " wait more than 1.25 ms, a quarter of the p99's bound, for their last one");
        assertThat(probe(null, point(1, 1, 0)).found(result).notes()).isEmpty();
    }

    @Test
    void aRunPassesWithinItsBound() throws Exception {
        LoadPoint point = point(1, 1, 1_000);
        assertThat(probe(null, point).failure(taken(point, 4_900_000, List.of())))
                .isEmpty();
        assertThat(probe(null, point).failure(taken(point, 5_100_000, List.of())))
                .isEqualTo("p99 5.10 ms, over 5.00 ms");
    }

    @Test
    void whatMakesARunInvalidIsSaidFirst() throws Exception {
        LoadPoint point = point(1, 1, 1_000);
        assertThat(probe(null, point).failure(taken(point, 90_000_000, List.of("3 messages lost"))))
                .isEqualTo("3 messages lost");
    }

    @Test
    void aLossThatThePolicyExplainsIsALoss() throws Exception {
        LoadPoint point = point(1, 2, 1_000);
        SubscriberResult got = new SubscriberResult(0, 1_000, Faults.NONE, null, 0);
        SubscriberResult skipped = new SubscriberResult(1, 997, new Faults(3, 0, 0, 0, 0, 0), null, 0);
        SubscriberResult cutOff =
                new SubscriberResult(1, 1_000, Faults.NONE, "cut off", CloseReason.SLOW_SUBSCRIBER.code());
        assertThat(probe(null, point).failure(with(point, got, skipped))).isEqualTo("subscriber 1: 3 messages lost");
        assertThat(probe(null, point).failure(with(point, got, cutOff)))
                .isEqualTo("subscriber 1: connection ended: cut off");
        assertThat(probe(null, point).failure(with(point, got, got))).isEmpty();
    }

    @Test
    void lateSendsAreWithinTheLatencyAlready() throws Exception {
        LoadPoint point = point(1, 1, 1_000);
        Taken late = taken(point, new Given(1_000, 4_900_000, 3), List.of());
        assertThat(late.failures()).singleElement().asString().contains("3 of 1,000 messages");
        assertThat(probe(null, point).failure(late)).isEmpty();
    }

    @Test
    void aRateThatWasNotSentIsNotReached() throws Exception {
        LoadPoint asked = point(1, 1, 1_000);
        Taken slower = taken(point(1, 1, 900), 1_000, List.of());
        Taken taken = takenFor(asked, slower);
        assertThat(probe(null, asked).failure(taken)).isEqualTo("only 900 of 1,000 messages were sent");
    }

    @Test
    void aMessageAtTheEdgeOfTheWindowIsNotMissed() throws Exception {
        LoadPoint asked = point(1, 1, 3);
        Taken slower = taken(point(1, 1, 2), 1_000, List.of());
        Taken taken = takenFor(asked, slower);
        assertThat(probe(null, asked).failure(taken)).isEmpty();
    }

    private static RateProbe probe(LaneLink link, LoadPoint point) {
        Lane lane = Lanes.between(LaneSpec.of(LaneKind.REMOTE), Site.HERE, Site.HERE, link);
        return new RateProbe(lane, new Step("lane", point, What.RELAY), FIVE_MILLIS);
    }

    private static LoadPoint point(int publishers, int subscribers, int rate) {
        return new LoadPoint(BodySizes.fixed(100), publishers, subscribers, 0, rate, 1);
    }

    private static LoadPoint batched(int publishers, int batch) {
        return new LoadPoint(BodySizes.fixed(100), publishers, 1, batch, 0, 1);
    }

    /** What came of another load, as if it had come of this one. */
    private static Taken takenFor(LoadPoint asked, Taken other) {
        Step step = new Step("lane", asked, What.RELAY);
        return new Taken(step, 1, other.started(), other.hops(), other.outcome(), List.of(), List.of());
    }

    private static Taken with(LoadPoint point, SubscriberResult... subscribers) throws Exception {
        return taken(point, new Given(point.rate(), 1_000, 0, List.of(subscribers)), List.of());
    }

    private static Taken taken(LoadPoint point, long latencyNanos, List<String> faults) throws Exception {
        return taken(point, new Given(point.rate(), latencyNanos), faults);
    }

    private static Taken taken(LoadPoint point, Given given, List<String> faults) throws Exception {
        FakeRig rig = new FakeRig((number, middle, placement, load) -> given);
        Rig.Outcome outcome = rig.run(
                Middles.plain(1),
                Placement.HERE,
                Load.oneToOne(100).withRate(point.rate()),
                new Timing(Duration.ZERO, Duration.ofSeconds(1)),
                RunObserver.NONE);
        return new Taken(
                new Step("lane", point, What.RELAY),
                1,
                "2026-01-01T00:00:00Z",
                new Hops(50, 50),
                outcome,
                faults,
                Verdict.failures(outcome.result().published().punctuality()));
    }
}
