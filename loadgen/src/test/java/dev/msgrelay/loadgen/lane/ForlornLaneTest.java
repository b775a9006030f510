package dev.msgrelay.loadgen.lane;

import static org.assertj.core.api.Assertions.assertThat;

import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.run.Child;
import dev.msgrelay.loadgen.run.Children;
import dev.msgrelay.loadgen.site.Site;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nothing of a lane stays behind, however its controller ends. */
@Timeout(60)
class ForlornLaneTest {
    private static final long SAY_NANOS = TimeUnit.SECONDS.toNanos(30);

    @BeforeAll
    static void whereAllowed() throws Exception {
        RealLanes.assumePossible();
    }

    @Test
    void killingTheControllerRemovesIt() throws Exception {
        expectGoneAfter("KILL", false);
    }

    /** A terminal sends Ctrl-C to everyone; the holders stay until the controller goes. */
    @Test
    void ctrlCRemovesItButNotBeforeTheController() throws Exception {
        expectGoneAfter("TERM", true);
    }

    private static void expectGoneAfter(String signal, boolean interruptHolders) throws Exception {
        try (Children children = new Children()) {
            Child controller = children.startWorker(Site.HERE, "controller", ForlornController.class, List.of());
            JsonObject open = controller.await("open", SAY_NANOS);
            ProcessHandle near = ProcessHandle.of(open.getLong("near")).orElseThrow();
            ProcessHandle far = ProcessHandle.of(open.getLong("far")).orElseThrow();
            List<String> namespaces = List.of(RealLanes.namespaceOf(near.pid()), RealLanes.namespaceOf(far.pid()));
            assertThat(RealLanes.namespaces()).containsAll(namespaces);
            if (interruptHolders) {
                RealLanes.TOOL.run(List.of("sh", "-c", "kill -INT " + near.pid() + " " + far.pid()));
                assertThat(RealLanes.TOOL
                                .run(List.of("nsenter", "--target", "" + far.pid(), "--net", "true"))
                                .succeeded())
                        .isTrue();
                assertThat(near.isAlive() && far.isAlive()).isTrue();
            }
            RealLanes.TOOL.run(List.of("sh", "-c", "kill -" + signal + " " + controller.pid()));
            near.onExit().get(20, TimeUnit.SECONDS);
            far.onExit().get(20, TimeUnit.SECONDS);
            assertThat(RealLanes.namespaces()).doesNotContainAnyElementsOf(namespaces);
        }
    }

    /** A controller that opens a lane and then does nothing. */
    static final class ForlornController {
        private ForlornController() {}

        public static void main(String[] args) throws Exception {
            try (Lane lane = Lanes.open(LaneSpec.parse("1gbe"))) {
                List<Long> holders = ((EmulatedLane) lane).holders();
                System.out.println(
                        "{\"event\":\"open\",\"near\":" + holders.get(0) + ",\"far\":" + holders.get(1) + "}");
                System.out.flush();
                TimeUnit.MINUTES.sleep(1);
            }
        }
    }
}
