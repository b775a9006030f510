package dev.msgrelay.loadgen.ssh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.msgrelay.loadgen.host.LaneTools;
import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.lane.End;
import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.lane.Lanes;
import dev.msgrelay.loadgen.link.LinkSpeed;
import dev.msgrelay.loadgen.plain.PlainRelayMain;
import dev.msgrelay.loadgen.run.Contestant;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.LoadRun;
import dev.msgrelay.loadgen.run.Placement;
import dev.msgrelay.loadgen.run.RelayContestant;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.run.Verdict;
import dev.msgrelay.loadgen.site.HostSite;
import dev.msgrelay.loadgen.site.Site;
import dev.msgrelay.testing.FreePort;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A real sshd stands for the second host: on another address of loopback, and across an emulated link, in a network
 * namespace of its own.
 */
@Tag("thorough")
@EnabledOnOs(value = OS.LINUX, disabledReason = "only there does loopback have a second address by itself")
class SecondHostTest {
    /** Of the last sshd: each has an address of its own. */
    private static final AtomicInteger LAST = new AtomicInteger(1);

    private static final Timing SHORT = new Timing(Duration.ofMillis(200), Duration.ofMillis(500));
    private static final Timing ENDLESS = new Timing(Duration.ZERO, Duration.ofMinutes(2));
    private static final Contestant RELAY =
            new RelayContestant(List.of("--slow-subscriber", "backpressure"), RelayContestant.JAVA_OPTIONS);

    private final String address = "127.0.0." + LAST.incrementAndGet();

    @TempDir
    private Path directory;

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void aRunWithSubscribersThereLosesNothing() throws Exception {
        Site.DataPorts ports = new Site.DataPorts(FreePort.next(), FreePort.next());
        try (TestSshd sshd = TestSshd.start(List.of(), address, directory);
                Lane lane = lane(sshd, ports)) {
            assertThat(lane.label()).isEqualTo("remote (second)");
            assertThat(lane.link()).as("both are one host").isNull();
            assertThat(lane.far().address()).isEqualTo(address);
            assertThat(second(lane).machine().cores())
                    .isEqualTo(Runtime.getRuntime().availableProcessors());
            RunResult result =
                    run(lane.placement(End.NEAR, End.FAR), Load.oneToOne(100).withCounts(1, 2), SHORT);
            expectClean(result);
            assertThat(result.resources().processes())
                    .allSatisfy(one -> assertThat(one.cpuSeconds()).isGreaterThan(0))
                    .allSatisfy(one -> assertThat(one.peakResidentBytes()).isGreaterThan(1 << 20));
            ClockOffset clock = second(lane).measureClock();
            assertThat(Math.abs(clock.aheadNanos())).as("one clock").isLessThanOrEqualTo(clock.uncertaintyNanos());
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void relayAndPublishersMayLiveThere() throws Exception {
        try (TestSshd sshd = TestSshd.start(List.of(), address, directory);
                Lane lane = lane(sshd, Site.DataPorts.ANY)) {
            Placement placement = new Placement(lane.far(), lane.far(), lane.near());
            RunResult result = run(placement, Load.oneToOne(100).withRate(1_000), SHORT);
            expectClean(result);
            assertThat(result.resources().relay())
                    .as("SIGTERM reached it, its last words came")
                    .isNotNull();
            assertThat(result.delays().latency().getTotalCount()).isPositive();
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void connectionsThatBreakFailTheRunByNameAndLeaveNothing() throws Exception {
        try (TestSshd sshd = TestSshd.start(List.of(), address, directory);
                Lane lane = lane(sshd, Site.DataPorts.ANY)) {
            List<ProcessHandle> there = new ArrayList<>();
            LoadRun run = new LoadRun(
                    RELAY,
                    lane.placement(End.NEAR, End.FAR),
                    Load.oneToOne(100).withRate(1_000),
                    ENDLESS,
                    new RunObserver() {
                        @Override
                        public void phase(String what) {
                            if (what.equals("measuring")) {
                                there.addAll(sshd.connections().toList());
                                sshd.breakConnections();
                            }
                        }
                    });
            assertThatThrownBy(run::run)
                    .isInstanceOf(RunException.class)
                    .hasMessageMatching("subscriber 0 ended with exit code 255; it said: .*(closed|reset|broke).*");
            assertThat(there).hasSizeGreaterThanOrEqualTo(4);
            for (ProcessHandle one : there) {
                one.onExit().get(120, TimeUnit.SECONDS);
            }
            assertThatThrownBy(second(lane)::measureClock)
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("the second host went away: second: ");
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void aControllerThatIsKilledLeavesNothing() throws Exception {
        try (TestSshd sshd = TestSshd.start(List.of(), address, directory)) {
            Process controller = start(
                    Site.HERE,
                    ForlornController.class,
                    sshd.command(),
                    TestJar.write(directory).toString());
            try {
                BufferedReader out =
                        new BufferedReader(new InputStreamReader(controller.getInputStream(), StandardCharsets.UTF_8));
                assertThat(out.readLine()).isEqualTo("started");
                List<ProcessHandle> there = sshd.connections().toList();
                assertThat(there).hasSizeGreaterThanOrEqualTo(4);
                controller.destroyForcibly();
                for (ProcessHandle one : there) {
                    one.onExit().get(120, TimeUnit.SECONDS);
                }
            } finally {
                controller.destroyForcibly();
            }
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void whatStandsInTheWayIsNamed() throws Exception {
        try (TestSshd sshd = TestSshd.start(List.of(), address, directory);
                ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Path jar = TestJar.write(directory);
            Ssh stranger = sshd.ssh("-oUserKnownHostsFile=/dev/null");
            assertThatThrownBy(() -> SshHost.prepare(stranger, HostSite.java(), jar, line -> {}))
                    .as("a host key that nobody knows, in the words of ssh")
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("second: ")
                    .hasMessageContaining("Host key verification failed.")
                    .hasMessageEndingWith("UserKnownHostsFile=/dev/null second true)");
            SshHost host = SshHost.prepare(sshd.ssh(), HostSite.java(), jar, line -> {});
            Site.DataPorts ports = new Site.DataPorts(taken.getLocalPort(), taken.getLocalPort() + 1);
            assertThatThrownBy(() -> RemoteLane.open(host, new RemoteLane.Given("127.0.0.1", null, ports, null, 0)))
                    .as("a port that is taken")
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("cannot listen on 127.0.0.1 port " + taken.getLocalPort() + ": ");
            assertThatThrownBy(() ->
                            RemoteLane.open(host, new RemoteLane.Given("192.0.2.7", null, Site.DataPorts.ANY, null, 0)))
                    .as("an address of somebody else")
                    .isInstanceOf(IOException.class)
                    .hasMessage("--near-address 192.0.2.7 is none of this host's addresses");
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void aRunGoesOverTheLink() throws Exception {
        LaneTools tools = LaneTools.probe(new Subprocess());
        assumeTrue(tools.available(), tools::reason);
        assumeTrue(TestSshd.isRoot(), "sshd in a network namespace needs root");
        try (Lane lane = Lanes.open(LaneSpec.parse("1gbe"));
                TestSshd sshd = TestSshd.start(
                        ((HostSite) lane.far()).prefix(), lane.far().address(), directory)) {
            List<String> second = new ArrayList<>(((HostSite) lane.near()).prefix());
            second.addAll(List.of("ip", "address", "add", "10.77.0.1/32", "dev", "lane0"));
            assertThat(new Subprocess().run(second).output()).isEmpty();
            Process controller = start(
                    lane.near(),
                    Controller.class,
                    sshd.command(),
                    TestJar.write(directory).toString());
            try {
                assertThat(text(controller))
                        .isEqualTo(
                                "second cannot connect to 10.77.0.1 port 17400 of this host: Network is unreachable (a"
                                        + " firewall? it has to let this port pass)\n"
                                        + "near " + lane.near().address() + ", far "
                                        + lane.far().address()
                                        + ", link 1 Gbit/s, MTU 1500, IPv4, TCP time stamps, failures []\n");
            } finally {
                controller.destroyForcibly();
            }
        }
    }

    /** The relay and a publisher here, a subscriber there; before that, by an address to which no way leads. */
    static final class Controller {
        private Controller() {}

        public static void main(String[] args) throws Exception {
            SshHost host = host(args);
            Site.DataPorts ports = new Site.DataPorts(17_400, 17_401);
            LinkSpeed link = LinkSpeed.parse("1g");
            try {
                RemoteLane.open(host, new RemoteLane.Given("10.77.0.1", null, ports, link, 0))
                        .close();
            } catch (IOException e) {
                System.out.println(e.getMessage());
            }
            try (Lane lane = RemoteLane.open(host, new RemoteLane.Given(null, null, ports, link, 0))) {
                RunResult result = run(lane.placement(End.NEAR, End.FAR), Load.oneToOne(100), SHORT);
                System.out.println(
                        "near " + lane.near().address() + ", far " + lane.far().address() + ", link "
                                + lane.link().speed() + ", " + lane.link().format() + ", failures "
                                + Verdict.faults(result));
            }
        }
    }

    /** A controller that starts a process there and then does nothing. */
    static final class ForlornController {
        private ForlornController() {}

        public static void main(String[] args) throws Exception {
            RemoteLane.Given given = new RemoteLane.Given(null, null, Site.DataPorts.ANY, null, 0);
            try (Lane lane = RemoteLane.open(host(args), given)) {
                lane.far()
                        .start(new Site.JavaProgram(
                                List.of("-XX:+UseSerialGC", "-Xmx64m"),
                                PlainRelayMain.class.getName(),
                                List.of("--buffer", "1000", "--bind", lane.far().address())));
                System.out.println("started");
                TimeUnit.MINUTES.sleep(10);
            }
        }
    }

    private static SshHost host(String[] args) throws Exception {
        return SshHost.prepare(
                new Ssh(List.of(args[0].split(" ")), "second"), HostSite.java(), Path.of(args[1]), line -> {});
    }

    private static SshSite second(Lane lane) {
        return (SshSite) lane.far();
    }

    private Lane lane(TestSshd sshd, Site.DataPorts ports) throws Exception {
        return RemoteLane.open(
                SshHost.prepare(sshd.ssh(), HostSite.java(), TestJar.write(directory), line -> {}),
                new RemoteLane.Given(null, null, ports, null, 0));
    }

    private static RunResult run(Placement placement, Load load, Timing timing) throws Exception {
        return new LoadRun(RELAY, placement, load, timing, RunObserver.NONE).run();
    }

    private static void expectClean(RunResult result) {
        assertThat(Verdict.faults(result)).isEmpty();
        assertThat(result.throughput().out().messages()).isPositive();
    }

    private static Process start(Site site, Class<?> main, String... args) throws IOException {
        return site.start(new Site.JavaProgram(
                List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m"), main.getName(), List.of(args)));
    }

    /** All that a process says, its errors behind it, but for what its JVM says of its environment. */
    private static String text(Process process) throws IOException {
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        return out + err.replaceFirst("^NOTE: Picked up .*\\R", "");
    }
}
