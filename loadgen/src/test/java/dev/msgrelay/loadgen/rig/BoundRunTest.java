package dev.msgrelay.loadgen.rig;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.evidence.Sampled;
import dev.msgrelay.loadgen.evidence.Sampled.Queues;
import dev.msgrelay.loadgen.evidence.Watched.Role;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Load.SlowReaders;
import dev.msgrelay.loadgen.plan.Load.Transport;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecord.Throughput.Point;
import dev.msgrelay.protocol.Policy;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * Bounds that are provoked, with real processes and sockets. Thorough, as each is a run of seconds with three
 * processes.
 */
@EnabledOnOs(OS.LINUX)
@Tag("thorough")
class BoundRunTest {
    private static final Contestant RELAY =
            new RelayContestant(List.of("--slow-subscriber", "backpressure"), RelayContestant.JAVA_OPTIONS);

    @Test
    void aSubscriberThatReadsSlowlyUnderBackpressure() throws Exception {
        // So slow that whatever else this machine does is faster; long enough for all buffers on the way to fill.
        SlowReaders slow = new SlowReaders(1, 2_000_000, Policy.BACKPRESSURE);
        Timing timing = new Timing(Duration.ofSeconds(2), Duration.ofSeconds(2));
        Load load = Load.oneToOne(1_000).withSlow(slow);
        RunRecord result = LoadRun.alone(Plan.here("", RELAY, load, timing, Rig.OWN), 1, RunObserver.NONE);
        assertThat(result.outcome().failures())
                .as("everybody heard when the window began")
                .isEmpty();
        assertThat(Duration.ofNanos(result.moment().warmupNanos()))
                .as("the slow one reads evenly")
                .isGreaterThanOrEqualTo(Duration.ofSeconds(2));
        tell("a subscriber that reads slowly", result);
        Queues queues = result.resources().signals().sampled().queues();
        assertThat(queues.subscriberReceive().connections())
                .as("the slow one and the other")
                .isEqualTo(2);
    }

    @Test
    void aSlowReaderThatMayBeSkippedIsNotTheSubscriberThatBinds() throws Exception {
        SlowReaders slow = new SlowReaders(1, 2_000_000, Policy.SKIP);
        RunRecord result = run(500, 700, Load.oneToOne(1_000).withSlow(slow));
        Queues queues = result.resources().signals().sampled().queues();
        assertThat(queues.subscriberReceive().connections())
                .as("the other one alone")
                .isEqualTo(1);
        assertThat(queues.relaySend().connections()).isEqualTo(1);
    }

    @Test
    void aLowRateThatIsKept() throws Exception {
        RunRecord result = run(300, 1_500, Load.oneToOne(16).withRate(200));
        tell("a low rate", result);
        Sampled sampled = result.resources().signals().sampled();
        assertThat(sampled.samples()).isPositive();
        for (Role role : Role.values()) {
            assertThat(sampled.busiest(role)).as("%s", role).isNotNull();
        }
    }

    @Test
    void overUnixSocketsTheQueuesAreUnseenAndTheRunIsClassifiedAllTheSame() throws Exception {
        RunRecord result = run(300, 600, Load.oneToOne(100).withTransport(Transport.UNIX));
        assertThat(result.resources().signals().sampled().queues()).isEqualTo(Queues.UNSEEN);
        tell("Unix sockets", result);
    }

    @Test
    void throughputOverTimeAddsUpToWhatPassed() throws Exception {
        RunRecord result = run(300, 1_000, Load.oneToOne(100).withCounts(2, 2).withRate(500));
        List<Point> points = result.throughput().timeline();
        assertThat(points).as("the last step included").hasSize(4);
        double out = points.stream().mapToDouble(Point::out).average().orElse(0);
        double in = points.stream().mapToDouble(Point::in).average().orElse(0);
        System.out.printf(
                Locale.ROOT, "of 1,000 messages a second for two subscribers %,.0f went in, and %,.0f out%n", in, out);
        assertThat(points).allSatisfy(point -> assertThat(point.bytesIn()).isGreaterThanOrEqualTo(point.in()));
    }

    /** A bound depends on what else the machine does. */
    private static void tell(String what, RunRecord result) {
        System.out.println(what + ": " + result.resources().boundBy() + ", machine "
                + result.outcome().environment() + ", observed "
                + result.outcome().observed());
    }

    private static RunRecord run(long warmupMillis, long measuredMillis, Load load) throws Exception {
        Timing timing = new Timing(Duration.ofMillis(warmupMillis), Duration.ofMillis(measuredMillis));
        return LoadRun.alone(Plan.here("", RELAY, load, timing, Rig.OWN), 1, RunObserver.NONE);
    }
}
