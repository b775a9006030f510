package dev.msgrelay.loadgen.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.loadgen.plan.Access;
import dev.msgrelay.loadgen.plan.Job;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.worker.PlainRelayMain;
import dev.msgrelay.loadgen.worker.PublisherMain;
import dev.msgrelay.protocol.net.Endpoint;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Nobody is left behind, however a controller ends. */
class ChildrenTest {
    private static final long SAY_NANOS = TimeUnit.SECONDS.toNanos(120);
    private static final Job PLAIN =
            Job.inPlaceOfARelay(new Job.Listen("127.0.0.1", null, null), 1_000, Load.oneToOne(100));

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void closeEndsThem() throws Exception {
        Child plain;
        Path socket;
        try (Children children = new Children()) {
            socket = Path.of(children.socketPath("x"));
            Child child = children.startWorker(Site.HERE, "plain", PlainRelayMain.class, PLAIN);
            plain = child;
            child.await("ready", SAY_NANOS);
            assertThatThrownBy(() -> child.await("never", TimeUnit.MILLISECONDS.toNanos(50)))
                    .as("what is not said is not awaited for ever")
                    .hasMessageStartingWith("plain did not say 'never' within 50 ms");
            assertThat(child.isAlive()).isTrue();
        }
        assertThat(plain.isAlive()).isFalse();
        assertThat(socket.getParent()).doesNotExist();
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theyEndWithAControllerThatIsKilledOrTerminated(boolean killed) throws Exception {
        try (Children children = new Children()) {
            Child controller = children.startWorker(Site.HERE, "controller", ForlornController.class, List.of());
            JsonNode child = controller.await("child", SAY_NANOS);
            ProcessHandle worker =
                    ProcessHandle.of(child.path("pid").asLong(-1)).orElseThrow();
            Path directory = Path.of(child.path("socket").asString("")).getParent();
            assertThat(worker.isAlive()).isTrue();
            assertThat(directory).exists();
            if (killed) {
                controller.kill();
            } else {
                controller.terminate();
            }
            worker.onExit().get(120, TimeUnit.SECONDS);
            assertThat(controller.awaitExit(120_000)).isTrue();
            if (!killed) {
                assertThat(directory).doesNotExist();
            }
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void whileTheControllerGoesDownNothingIsStarted() throws Exception {
        try (Children children = new Children()) {
            Child controller = children.startWorker(Site.HERE, "controller", LateController.class, List.of());
            assertThat(controller.await("late", SAY_NANOS).path("got").asString(""))
                    .isEqualTo(InterruptedException.class.getName());
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void childrenThatAreAbandonedAreNotWaitedFor() throws Exception {
        FakeProcess deaf = new FakeProcess("", false);
        try (Children children = new Children()) {
            children.add(new Child("deaf", Site.HERE, deaf));
            children.abandon();
        }
        assertThat(deaf.isKilled()).isTrue();
        assertThat(deaf.isAwaited()).isFalse();
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void aChildThatFailsIsNamedWithItsReason() throws Exception {
        try (Children children = new Children()) {
            Child child = children.startWorker(
                    Site.HERE,
                    "publisher 0",
                    PublisherMain.class,
                    Job.client(Endpoint.parse("127.0.0.1:1"), Access.OPEN, 0, 1, Load.oneToOne(100)));
            assertThatThrownBy(() -> child.await("ready", SAY_NANOS))
                    .isInstanceOf(RunException.class)
                    .hasMessageStartingWith("publisher 0: cannot connect to 127.0.0.1:1");
        }
    }

    /** A JVM says of options in its environment that it has them, which is no reason to end. */
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void whatAJvmSaysOfItsEnvironmentIsNotToldAsItsLastWords() throws Exception {
        String script = "echo 'NOTE: Picked up JDK_JAVA_OPTIONS: -Xshare:auto' >&2;"
                + " echo 'Picked up JAVA_TOOL_OPTIONS: -Xint' >&2; echo 'no luck' >&2; exit 3";
        try (Children children = new Children()) {
            Child child = children.startCommand("relay", List.of("sh", "-c", script));
            assertThatThrownBy(() -> child.await("ready", SAY_NANOS))
                    .isInstanceOf(RunException.class)
                    .hasMessage("relay ended with exit code 3; it said: no luck");
        }
    }

    /** A controller that is about to start something when it is asked to end. */
    static final class LateController {
        private LateController() {}

        public static void main(String[] args) {
            Runtime.getRuntime().addShutdownHook(new Thread(LateController::late));
        }

        private static void late() {
            String got = "";
            try {
                new Children().close();
            } catch (InterruptedException | RuntimeException e) {
                got = e.getClass().getName();
            }
            System.out.println("{\"event\":\"late\",\"got\":\"" + got + "\"}");
            System.out.flush();
        }
    }

    static final class ForlornController {
        private ForlornController() {}

        public static void main(String[] args) throws Exception {
            Children children = new Children();
            Child child = children.startWorker(Site.HERE, "plain", PlainRelayMain.class, PLAIN);
            child.await("ready", SAY_NANOS);
            String socket = children.socketPath("x");
            System.out.println("{\"event\":\"child\",\"pid\":" + child.pid() + ",\"socket\":\"" + socket + "\"}");
            System.out.flush();
            TimeUnit.MINUTES.sleep(10);
            children.close();
        }
    }
}
