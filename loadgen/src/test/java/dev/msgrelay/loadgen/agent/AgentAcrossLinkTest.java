package dev.msgrelay.loadgen.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.cli.LoadgenMain;
import dev.msgrelay.loadgen.host.LaneTools;
import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.lane.End;
import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.lane.Lanes;
import dev.msgrelay.loadgen.link.LinkSpeed;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.LoadRun;
import dev.msgrelay.loadgen.run.RelayMiddle;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.run.Verdict;
import dev.msgrelay.loadgen.site.JavaProgram;
import dev.msgrelay.loadgen.site.Site;
import dev.msgrelay.loadgen.site.SiteProcess;
import dev.msgrelay.protocol.Policy;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Agent and controller in network namespaces of their own, joined by nothing but an emulated link: addresses, interfaces
 * and routes are as between two hosts.
 */
@Timeout(120)
class AgentAcrossLinkTest {
    @TempDir
    private Path directory;

    @Test
    void aRunGoesOverTheLink() throws Exception {
        LaneTools tools = LaneTools.probe(new Subprocess());
        Assumptions.assumeTrue(tools.available(), tools::reason);
        Token token = Token.generate();
        Path file = directory.resolve("token");
        Files.writeString(file, token.secret());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        try (Lane lane = Lanes.open(LaneSpec.parse("1gbe"))) {
            SiteProcess agent = start(
                    lane.far(),
                    LoadgenMain.class,
                    List.of("agent", "--bind", lane.far().address(), "--token-file", file.toString(), "--once"));
            try {
                assertThat(new BufferedReader(new InputStreamReader(agent.stdout(), StandardCharsets.UTF_8)).readLine())
                        .startsWith("loadgen agent listens on " + lane.far().address() + " port 7410");
                SiteProcess controller =
                        start(lane.near(), Controller.class, List.of(lane.far().address(), file.toString()));
                try {
                    assertThat(text(controller))
                            .isEqualTo("near " + lane.near().address() + ", far "
                                    + lane.far().address()
                                    + ", link 1 Gbit/s, MTU 1500, IPv4, TCP time stamps, failures []\n");
                } finally {
                    controller.kill();
                }
                assertThat(agent.awaitExit(20_000)).isTrue();
                assertThat(agent.exitCode()).isZero();
            } finally {
                agent.kill();
            }
        }
    }

    private static SiteProcess start(Site site, Class<?> main, List<String> args) throws IOException {
        return site.start(new JavaProgram(List.of("-XX:+UseSerialGC", "-Xmx128m"), main.getName(), args));
    }

    /** All that a process says, its errors behind it. */
    private static String text(SiteProcess process) throws IOException {
        String out = new String(process.stdout().readAllBytes(), StandardCharsets.UTF_8);
        return out + new String(process.stderr().readAllBytes(), StandardCharsets.UTF_8);
    }

    /** The relay and a publisher here, a subscriber at the agent. */
    static final class Controller {
        private Controller() {}

        public static void main(String[] args) throws Exception {
            RemoteLink given = new RemoteLink(LinkSpeed.parse("1g"), 0);
            try (RemoteLane lane =
                    RemoteLane.open(AgentTarget.parse(args[0]), Token.fromFile(Path.of(args[1])), given)) {
                RunResult result = new LoadRun(
                                new RelayMiddle(List.of("--slow-subscriber", "backpressure"), RelayMiddle.JAVA_OPTIONS),
                                lane.placement(End.NEAR, End.FAR),
                                Load.oneToOne(100),
                                new Timing(Duration.ofMillis(200), Duration.ofMillis(500)),
                                RunObserver.NONE)
                        .run();
                System.out.println(
                        "near " + lane.near().address() + ", far " + lane.far().address() + ", link "
                                + lane.link().speed() + ", " + lane.link().format() + ", failures "
                                + Verdict.failures(result.received(), result.load(), Policy.BACKPRESSURE));
            }
        }
    }
}
