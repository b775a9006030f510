package dev.msgrelay.loadgen.cli;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.host.LaneTools;
import dev.msgrelay.loadgen.host.Placement;
import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.plan.Json;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.rig.Children;
import dev.msgrelay.loadgen.rig.Contestant;
import dev.msgrelay.loadgen.rig.RelayContestant;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.access.AccessPolicy;
import dev.msgrelay.server.access.Identity;
import dev.msgrelay.server.access.TokenHash;
import dev.msgrelay.server.admin.AdminServer;
import dev.msgrelay.server.config.AdminConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.testing.ThisMachine;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Runs through a relay that runs already: its lane, and what is said where there is no way in. */
class ConnectTest extends CommandTest {
    @TempDir
    private Path directory;

    private RelayServer relay;
    private AdminServer admin;

    @BeforeEach
    void start() throws IOException {
        relay = start(0, 0);
        admin = AdminServer.start(relay, AdminConfig.parse("127.0.0.1:0", null));
    }

    @AfterEach
    void stop() {
        relay.close();
        admin.close();
    }

    private String publish() {
        return "127.0.0.1:" + relay.publishAddress().getPort();
    }

    private String subscribe() {
        return "127.0.0.1:" + relay.subscribeAddress().getPort();
    }

    private String admin() {
        return "127.0.0.1:" + admin.address().getPort();
    }

    private int connect(String publish, String subscribe, Object... more) {
        return connectWithin("2m", publish, subscribe, more);
    }

    private int connectWithin(String timeout, String publish, String subscribe, Object... more) {
        Object[] args = Stream.concat(
                        Stream.of(
                                "--connect",
                                publish,
                                "--connect-subscribe",
                                subscribe,
                                "--connect-timeout",
                                timeout,
                                "--warmup",
                                "100ms",
                                "--duration",
                                "300ms"),
                        Stream.of(more))
                .toArray();
        return executeUntilSomethingComes("run", args);
    }

    @Test
    void theRelayElsewhereIsALaneOfItsOwn() throws Exception {
        Path page = directory.resolve("page.html");
        assertThat(connect(
                        publish(),
                        subscribe(),
                        "--rate",
                        "500",
                        "--subscribers",
                        "2",
                        "--link",
                        "1000",
                        "--admin",
                        admin(),
                        "--html",
                        page,
                        "--json"))
                .as(err.toString())
                .isZero();
        JsonNode lane = Json.parse(out.toString()).path("lanes").path(0);
        assertThat(lane.path("name").asString("")).isEqualTo("127.0.0.1");
        assertThat(lane.path("kind").asString("")).isEqualTo("remote");
        assertThat(lane.path("places").path("subscribers").asString("")).isEqualTo("far");
        JsonNode run = lane.path("cells").path(0).path("runs").path(0);
        JsonNode share = lane.path("cells").path(0).path("shares").path(0);
        // What came within the window may have been published before it.
        assertThat(share.path("in").asDouble(Double.NaN)).isNotNegative().isLessThan(1);
        assertThat(share.path("out").asDouble(Double.NaN)).isPositive();
        JsonNode signals = run.path("resources").path("signals");
        assertThat(signals.path("holds").path("heldBack").isNull())
                .as("the admin port tells")
                .isFalse();
        assertThat(Files.readString(page)).contains("127.0.0.1", "\"bitsPerSecond\":1000000000");
    }

    /** Thorough, as it is one more run. */
    @Tag("thorough")
    @Test
    void theTextNamesTheLaneAndTheShareOfTheLink() {
        assertThat(connect(publish(), subscribe(), "--link", "10gbe"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString())
                .contains("relay at " + publish(), "lane 127.0.0.1 (10 Gbit/s)")
                .containsPattern("of the link +[0-9.]+ from the publishers, [0-9.]+ to the subscribers")
                .doesNotContain("loopback");
    }

    @Tag("thorough")
    @Test
    void aShootoutPutsItBesideTheLanesOfThisHost() throws Exception {
        startWithNeighbours();
        assertThat(executeUntilSomethingComes(
                        "shootout",
                        "--rate=0",
                        "--lanes=unix",
                        "--connect=there=" + publish(),
                        "--rounds=1",
                        "--warmup=200ms",
                        "--duration=500ms",
                        "--json"))
                .as(err.toString())
                .isZero();
        var lanes = Json.parse(out.toString()).path("lanes");
        assertThat(lanes.path(0).path("name").asString("")).isEqualTo("unix");
        assertThat(lanes.path(1).path("name").asString("")).isEqualTo("there");
        assertThat(lanes.path(1).path("kind").asString("")).isEqualTo("remote");
        assertThat(lanes.path(1).path("cells")).hasSize(1);
    }

    /** A shootout takes the port below for subscribers: one that is free. */
    private void startWithNeighbours() throws IOException {
        while (relay.publishAddress().getPort() - 1 != relay.subscribeAddress().getPort()) {
            int publish = relay.publishAddress().getPort();
            relay.close();
            try {
                relay = start(publish, publish - 1);
            } catch (IOException e) {
                relay = start(0, 0);
            }
        }
    }

    private static RelayServer start(int publish, int subscribe) throws IOException {
        return RelayServer.start(
                RelayConfig.builder(publish, subscribe).set(LOG_SIZE, 8 << 20).build());
    }

    @Test
    void aWrongRoleIsOneLine() {
        expectRefused(
                connect(subscribe(), publish()),
                "no publisher is let in at " + subscribe() + ": ",
                "HELLO of a publisher on the port of subscribers");
        expectRefused(
                connect(publish(), publish()),
                "no subscriber is let in at " + publish() + ": ",
                "HELLO of a subscriber on the port of publishers");
    }

    /**
     * The relay cuts slow subscribers off, so those of a run ask to be skipped; backpressure has to be the relay's own.
     */
    @Test
    void aPolicyThatTheRelayDoesNotGiveIsOneLine() {
        expectRefused(
                connect(publish(), subscribe(), "--slow-subscriber", "backpressure"),
                "the relay's subscribers get the policy disconnect, not backpressure: start it with --slow-subscriber");
    }

    @Test
    void aPortOfSomethingElseIsOneLine() {
        expectRefused(connect(admin(), subscribe()), "no publisher is let in at " + admin(), "there is no relay");
        expectRefused(
                connect(publish(), subscribe(), "--admin", subscribe()),
                "--admin http://" + subscribe() + ": this is no relay's admin port");
    }

    @Test
    void aPlainPortSaysThatItDoesNotSpeakTls() {
        expectRefused(connect(publish(), subscribe(), "--tls"), "says without TLS", "this port is for plain ones");
    }

    @Test
    void aHostThatSwallowsTheRequestEndsAtTheTimeOut() throws Exception {
        InetAddress here = InetAddress.getByName("127.0.0.1");
        List<SocketChannel> waiting = new ArrayList<>();
        try (ServerSocket deaf = new ServerSocket(0, 1, here)) {
            // Until the kernel has no room for another one, and answers no more.
            while (true) {
                SocketChannel next = SocketChannel.open();
                waiting.add(next);
                next.configureBlocking(false);
                if (!next.connect(deaf.getLocalSocketAddress()) && waiting.size() > 8) {
                    break;
                }
            }
            String at = "127.0.0.1:" + deaf.getLocalPort();
            expectRefused(
                    connectWithin("300ms", at, subscribe()),
                    "cannot connect to " + at + ": no connection within 300 ms");
        } finally {
            for (SocketChannel one : waiting) {
                one.close();
            }
        }
    }

    @Test
    void whoShowsNoTokenIsNotLetInWhereOneIsAsked() throws IOException {
        Identity known = new Identity(
                "tester",
                List.of(TokenHash.of(Token.of("open sesame"))),
                List.of(),
                List.of(),
                List.of(),
                TypeRanges.ALL,
                TypeRanges.ALL,
                Identity.UNLIMITED,
                Identity.UNLIMITED,
                Identity.UNLIMITED,
                Identity.LEAST_INTERVAL,
                Identity.UNLIMITED);
        relay.close();
        relay = RelayServer.start(RelayConfig.builder(0, 0)
                .set(LOG_SIZE, 8 << 20)
                .set(ACCESS, new AccessPolicy(List.of(known)))
                .build());
        expectRefused(connect(publish(), subscribe()), "no publisher is let in at " + publish(), "not authenticated");
    }

    private void expectRefused(int code, String... words) {
        assertThat(code).as(err.toString()).isOne();
        assertThat(err.toString()).contains(words).hasLineCount(1);
        assertThat(out.toString()).isEmpty();
        err.getBuffer().setLength(0);
    }

    /** The link is emulated, and loadgen runs at its other end as on another machine. */
    @Tag("thorough")
    @Test
    void acrossTwoNetworkNamespaces() throws Exception {
        LaneTools tools = LaneTools.probe(new Subprocess());
        ThisMachine.need(tools.available(), tools.reason());
        try (Lane lane = Lane.open(LaneSpec.parse("1gbe"), new Subprocess());
                Children relays = new Children(new Placement(lane.near(), lane.far(), lane.far()))) {
            Contestant.Started there = new RelayContestant(
                            List.of("--slow-subscriber", "backpressure"), RelayContestant.JAVA_OPTIONS)
                    .start(relays, Load.oneToOne(100));
            Process loadgen = lane.far()
                    .start(new Site.JavaProgram(
                            List.of("-XX:TieredStopAtLevel=1"),
                            LoadgenMain.class.getName(),
                            List.of(
                                    "run",
                                    "--connect=" + there.publish(),
                                    "--connect-subscribe=" + there.subscribe(),
                                    "--link=1gbe",
                                    "--subscribers=2",
                                    "--warmup=500ms",
                                    "--duration=1s",
                                    "--rate=2000",
                                    "--json")));
            String said = new String(loadgen.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            String wrong = new String(loadgen.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(loadgen.waitFor()).as(wrong).isZero();
            JsonNode result = Json.parse(said).path("lanes").path(0);
            assertThat(result.path("name").asString("")).isEqualTo("198.18.0.1");
            assertThat(result.path("kind").asString("")).isEqualTo("remote");
            JsonNode run = result.path("cells").path(0).path("runs").path(0);
            assertThat(run.path("outcome").path("passed").asBoolean()).isTrue();
            assertThat(run.path("throughput").path("egressFraction").asDouble(Double.NaN))
                    .isPositive();
        }
    }
}
