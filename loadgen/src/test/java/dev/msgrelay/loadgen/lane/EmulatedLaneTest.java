package dev.msgrelay.loadgen.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.host.LaneTools;
import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.LoadRun;
import dev.msgrelay.loadgen.run.RelayMiddle;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.SlowPolicy;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.run.Verdict;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real namespaces, where they are allowed. */
@Timeout(60)
class EmulatedLaneTest {
    private static final Timing SHORT = new Timing(Duration.ofMillis(200), Duration.ofMillis(500));

    @BeforeAll
    static void whereAllowed() throws Exception {
        LaneTools tools = LaneTools.probe(new Subprocess());
        Assumptions.assumeTrue(tools.available(), () -> {
            System.out.println("no emulated lanes here, skipped: " + tools.reason());
            return tools.reason();
        });
    }

    @Test
    void messagesGoThroughTheRelayAndAcrossTheLink() throws Exception {
        try (Lane lane = Lanes.open(LaneSpec.parse("1gbe"))) {
            RunResult result = new LoadRun(
                            new RelayMiddle(List.of("--slow-subscriber", "backpressure"), RelayMiddle.JAVA_OPTIONS),
                            lane.placement(End.NEAR, End.FAR),
                            Load.oneToOne(100),
                            SHORT,
                            RunObserver.NONE)
                    .run();
            assertThat(Verdict.failures(result.received(), result.load(), SlowPolicy.BACKPRESSURE))
                    .isEmpty();
            double ceiling = lane.link().ceiling(100).batched().messagesPerSecond();
            System.out.println(result.deliveriesPerSecond() / ceiling);
            assertThat(result.deliveriesPerSecond()).isPositive();
        }
    }
}
