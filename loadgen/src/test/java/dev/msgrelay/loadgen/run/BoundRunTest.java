package dev.msgrelay.loadgen.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.bound.BoundBy;
import dev.msgrelay.loadgen.bound.Sampled;
import dev.msgrelay.loadgen.bound.Sampled.Queues;
import dev.msgrelay.loadgen.bound.Watched.Role;
import dev.msgrelay.protocol.Policy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Bounds that are provoked, with real processes and sockets. Nothing here asserts a speed. */
@Timeout(90)
@EnabledOnOs(OS.LINUX)
@Tag("alone")
class BoundRunTest {
    private static final Contestant RELAY =
            new RelayContestant(List.of("--slow-subscriber", "backpressure"), RelayContestant.JAVA_OPTIONS);

    @Tag("thorough")
    @Test
    void aSubscriberThatReadsSlowlyUnderBackpressure() throws Exception {
        // So slow that whatever else this machine does is faster; long enough for all buffers on the way to fill.
        SlowReaders slow = new SlowReaders(1, 2_000_000, Policy.BACKPRESSURE);
        Timing timing = new Timing(Duration.ofSeconds(2), Duration.ofSeconds(2)).orUntilSteady();
        Load load = Load.oneToOne(1_000).withSlow(slow);
        RunResult result = new LoadRun(RELAY, load, timing, RunObserver.NONE).run();
        assertThat(Verdict.faults(result))
                .as("everybody heard when the window began")
                .isEmpty();
        assertThat(result.timing().warmup())
                .as("the slow one reads evenly")
                .isBetween(Duration.ofSeconds(2), Duration.ofMillis(9_900));
        BoundBy bound = result.resources().boundBy();
        assertThat(bound.kind()).as(bound.toString()).isEqualTo(BoundBy.Kind.SUBSCRIBER);
        assertThat(bound.reasons()).anyMatch(reason -> reason.startsWith("not read by the subscriber"));
        Queues queues = result.resources().signals().sampled().queues();
        assertThat(queues.subscriberReceive().connections())
                .as("the slow one and the other")
                .isEqualTo(2);
        assertThat(queues.publisherSend().isFull()).isTrue();
        assertThat(result.resources().signals().holds().backpressure()).isGreaterThan(0.5);
    }

    @Test
    void aSlowReaderThatMayBeSkippedIsNotTheSubscriberThatBinds() throws Exception {
        SlowReaders slow = new SlowReaders(1, 2_000_000, Policy.SKIP);
        RunResult result = run(500, 700, Load.oneToOne(1_000).withSlow(slow));
        Queues queues = result.resources().signals().sampled().queues();
        assertThat(queues.subscriberReceive().connections())
                .as("the other one alone")
                .isEqualTo(1);
        assertThat(queues.relaySend().connections()).isEqualTo(1);
    }

    @Tag("thorough")
    @Test
    void aLowRateThatIsKept() throws Exception {
        RunResult result = run(300, 1_500, Load.oneToOne(16).withRate(200));
        // A machine that has other things to do keeps no rate, or no schedule: then once more.
        for (int i = 0; i < 2 && !Verdict.marks(result).isEmpty(); i++) {
            result = run(300, 1_500, Load.oneToOne(16).withRate(200));
        }
        BoundBy bound = result.resources().boundBy();
        // Of 300 messages one that is late is too many: then the run is marked, and what it was depends on the machine.
        if (Verdict.marks(result).isEmpty()) {
            assertThat(bound.kind()).as(bound.toString()).isEqualTo(BoundBy.Kind.NOTHING);
        } else {
            assertThat(bound.kind())
                    .as(bound.toString())
                    .isNotIn(BoundBy.Kind.LINK, BoundBy.Kind.RELAY_CPU, BoundBy.Kind.RING);
        }
        Sampled sampled = result.resources().signals().sampled();
        assertThat(sampled.samples()).isGreaterThan(2);
        for (Role role : Role.values()) {
            assertThat(sampled.busiest(role)).as("%s", role).isNotNull();
        }
        assertThat(sampled.queues().relayReceive().isEmpty()).isTrue();
        assertThat(sampled.queues().subscriberReceive().isEmpty()).isTrue();
    }

    @Test
    void overUnixSocketsTheQueuesAreUnseenAndTheRunIsClassifiedAllTheSame() throws Exception {
        RunResult result = run(300, 600, Load.oneToOne(100).withUnix(true));
        assertThat(result.resources().signals().sampled().queues()).isEqualTo(Queues.UNSEEN);
        assertThat(result.resources().boundBy().unseen()).contains("the relay's receive queues");
        assertThat(result.resources().boundBy().kind()).isNotIn(BoundBy.Kind.NOTHING, BoundBy.Kind.LINK);
    }

    @Test
    void throughputOverTimeAddsUpToWhatPassed() throws Exception {
        RunResult result = run(300, 1_000, Load.oneToOne(100).withCounts(2, 2).withRate(500));
        List<Timeline.Point> points = result.throughput().timeline();
        assertThat(points).as("the last step included").hasSize(4);
        double out = points.stream().mapToDouble(Timeline.Point::out).average().orElse(0);
        double in = points.stream().mapToDouble(Timeline.Point::in).average().orElse(0);
        // By counts at the steps' edges instead of each subscriber's own; on a busy machine some messages cross them.
        assertThat(in).isBetween(500.0, 2_000.0);
        assertThat(out).isBetween(1_000.0, 4_000.0);
        assertThat(points).allSatisfy(point -> assertThat(point.bytesIn()).isGreaterThanOrEqualTo(point.in()));
    }

    private static RunResult run(long warmupMillis, long measuredMillis, Load load) throws Exception {
        Timing timing = new Timing(Duration.ofMillis(warmupMillis), Duration.ofMillis(measuredMillis));
        return new LoadRun(RELAY, load, timing, RunObserver.NONE).run();
    }
}
