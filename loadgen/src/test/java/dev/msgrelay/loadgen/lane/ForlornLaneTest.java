package dev.msgrelay.loadgen.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.plan.Job;
import dev.msgrelay.loadgen.plan.Json;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.rig.Child;
import dev.msgrelay.loadgen.rig.Children;
import dev.msgrelay.loadgen.worker.PlainRelayMain;
import dev.msgrelay.testing.ConcurrentTest;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import tools.jackson.databind.JsonNode;

/** Nothing of a lane stays behind, however its controller ends. */
@Tag("thorough")
class ForlornLaneTest {
    private static final long SAY_NANOS = TimeUnit.SECONDS.toNanos(120);

    @BeforeAll
    static void whereAllowed() throws Exception {
        RealLanes.assumePossible();
    }

    @ConcurrentTest
    void killingTheControllerRemovesIt() throws Exception {
        expectGoneAfter("KILL", false);
    }

    /** A terminal sends Ctrl-C to everyone; the holders stay until the controller goes. */
    @ConcurrentTest
    void ctrlCRemovesItButNotBeforeTheController() throws Exception {
        expectGoneAfter("TERM", true);
    }

    private static void expectGoneAfter(String signal, boolean interruptHolders) throws Exception {
        try (Children children = new Children()) {
            Child controller = children.startWorker(Site.HERE, "controller", ForlornController.class, List.of());
            JsonNode open = controller.await("open", SAY_NANOS);
            ProcessHandle near = ProcessHandle.of(open.path("near").asLong(-1)).orElseThrow();
            ProcessHandle far = ProcessHandle.of(open.path("far").asLong(-1)).orElseThrow();
            ProcessHandle worker =
                    ProcessHandle.of(open.path("worker").asLong(-1)).orElseThrow();
            assertThat(RealLanes.namespaceOf(worker.pid())).isEqualTo(RealLanes.namespaceOf(far.pid()));
            List<String> namespaces = List.of(RealLanes.namespaceOf(near.pid()), RealLanes.namespaceOf(far.pid()));
            Set<Long> processes = RealLanes.processes();
            assertThat(RealLanes.namespacesOf(processes)).containsAll(namespaces);
            if (interruptHolders) {
                RealLanes.TOOL.run(List.of("sh", "-c", "kill -INT " + near.pid() + " " + far.pid()));
                assertThat(RealLanes.TOOL
                                .run(List.of("nsenter", "--target", "" + far.pid(), "--net", "true"))
                                .succeeded())
                        .isTrue();
                assertThat(near.isAlive() && far.isAlive()).isTrue();
            }
            RealLanes.TOOL.run(List.of("sh", "-c", "kill -" + signal + " " + controller.pid()));
            near.onExit().get(120, TimeUnit.SECONDS);
            far.onExit().get(120, TimeUnit.SECONDS);
            worker.onExit().get(120, TimeUnit.SECONDS);
            assertThat(RealLanes.namespacesOf(processes)).doesNotContainAnyElementsOf(namespaces);
        }
    }

    /** A controller that opens a lane, starts a worker at its far end, and then does nothing. */
    static final class ForlornController {
        private ForlornController() {}

        public static void main(String[] args) throws Exception {
            try (Lane lane = Lane.open(LaneSpec.parse("1gbe"), new Subprocess());
                    Children children = new Children(lane.placement())) {
                Job job = Job.inPlaceOfARelay(
                        new Job.Listen(lane.far().address(), null, null), 1_000, Load.oneToOne(100));
                Child worker = children.startWorker(lane.far(), "plain", PlainRelayMain.class, job);
                worker.await("ready", SAY_NANOS);
                List<Long> holders = RealLanes.holders(lane);
                System.out.println(Json.line(Map.of(
                        "event", "open", "near", holders.get(0), "far", holders.get(1), "worker", worker.pid())));
                System.out.flush();
                TimeUnit.MINUTES.sleep(10);
            }
        }
    }
}
