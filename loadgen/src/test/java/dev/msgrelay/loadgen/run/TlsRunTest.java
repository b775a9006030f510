package dev.msgrelay.loadgen.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.cli.LoadgenMain;
import dev.msgrelay.protocol.TypeRanges;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

/** Runs over TLS, short, with real processes and sockets: every byte is checked as ever. Nothing here asserts a speed. */
@Tag("thorough")
class TlsRunTest {
    private static final Timing SHORT = new Timing(Duration.ofMillis(100), Duration.ofMillis(300));
    private static final Contestant RELAY =
            new RelayContestant(List.of("--slow-subscriber", "backpressure"), RelayContestant.JAVA_OPTIONS);
    private static final Load LOAD = Load.oneToOne(100).withCounts(2, 2);

    private static final Places PLACES = new Places();

    private final StringWriter err = new StringWriter();

    @AfterAll
    static void endAll() {
        PLACES.close();
    }

    @Test
    void nothingIsLost() throws Exception {
        Clients acknowledged = Clients.of(Clients.Kind.LIBRARY).withAcks(Clients.Ack.STREAM);
        RunResult result = new LoadRun(RELAY, LOAD.withClients(acknowledged).withTls(), SHORT, RunObserver.NONE).run();
        expectClean(result);
        assertThat(result.correctness().acknowledged()).isEqualTo(result.sent());
        assertThat(result.resources().relay().gcCount()).isNotNegative();
    }

    /** Thorough, as those who come and go are to go, and raw clients with TLS. */
    @Tag("thorough")
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @EnumSource(value = Clients.Kind.class, names = "C", mode = EnumSource.Mode.EXCLUDE)
    void nothingIsLostWhoeverComesAndGoes(Clients.Kind kind) throws Exception {
        boolean acks = kind == Clients.Kind.LIBRARY;
        Clients.Ack asked = acks ? Clients.Ack.STREAM : Clients.Ack.NONE;
        RunResult result = run(
                RELAY,
                LOAD.withRate(2_000)
                        .withClients(new Clients(kind, asked, TypeRanges.ALL, 20).withStorm(10))
                        .withTls());
        expectClean(result);
        assertThat(result.correctness().visits().count()).isPositive();
        assertThat(result.correctness().acknowledged() > 0).isEqualTo(acks);
    }

    /** Thorough, as raw clients with TLS are to go. */
    @Tag("thorough")
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void nothingIsLostOfRawClients() throws Exception {
        expectClean(run(RELAY, LOAD.withTls()));
    }

    /** Thorough, as those who come and go are to go. */
    @Tag("thorough")
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void handshakesAndScrapesComeBesideAPlainLoad() throws Exception {
        Clients.Ports ports = new Clients.Ports(false, 30, 10);
        RunResult result = run(RELAY, LOAD.withRate(1_000).withClients(Clients.RAW.withPorts(ports)));
        assertThat(result.correctness().subscribers())
                .allSatisfy(one -> assertThat(one.lost()).isZero());
        System.out.println(
                "visits beside the load: " + result.correctness().visits().count());
        assertThat(result.resources().processes())
                .extracting(ProcessUse::name)
                .contains("those who shake hands", "those who look at the page");
    }

    @Test
    void whoComesTooSeldomMakesARunInvalid() {
        Load asked = LOAD.withClients(Clients.RAW.withPorts(new Clients.Ports(false, 100, 0)));
        assertThat(Verdict.absent(asked, 1_000_000_000, 100)).isEmpty();
        assertThat(Verdict.absent(asked, 1_000_000_000, 74)).isEmpty();
        assertThat(Verdict.absent(asked, 1_000_000_000, 73))
                .containsExactly("only 73 of 100 visits came beside the load");
        assertThat(Verdict.absent(LOAD, 1_000_000_000, 0)).isEmpty();
    }

    @Tag("thorough")
    @Test
    void whomItTrustsIsTold() throws Exception {
        try (Children children = new Children()) {
            Contestant.Started relay = RELAY.start(children, LOAD.withTls());
            Path right = OwnCertificate.at("127.0.0.1").certificate();
            Path wrong = OwnCertificate.at("127.0.0.2").certificate();
            assertThat(against(relay, right, "raw")).as(err.toString()).isZero();
            String where = "loadgen run: FAIL: subscriber 0: TLS with " + relay.subscribe() + " failed: ";
            assertThat(against(relay, wrong, "raw")).isOne();
            assertThat(err.toString())
                    .startsWith(where + "the relay's certificate is refused: unable to find valid certification path")
                    .hasLineCount(1);
            assertThat(against(relay, wrong, "library")).isOne();
            assertThat(err.toString())
                    .startsWith(where + "the relay's certificate is refused")
                    .hasLineCount(1);
        }
        try (Children children = new Children()) {
            Contestant.Started plain = RELAY.start(children, LOAD);
            Path some = OwnCertificate.at("127.0.0.1").certificate();
            assertThat(against(plain, some, "raw")).isOne();
            assertThat(err.toString()).contains("what is there speaks no TLS").hasLineCount(1);
            assertThat(against(plain, Path.of("nothing.pem"), "raw")).isOne();
            assertThat(err.toString()).contains("nothing.pem").hasLineCount(1);
        }
    }

    private int against(Contestant.Started relay, Path ca, String client) {
        err.getBuffer().setLength(0);
        CommandLine command = LoadgenMain.commandLine();
        command.setOut(new PrintWriter(new StringWriter(), true));
        command.setErr(new PrintWriter(err, true));
        return command.execute(
                "run",
                "--connect=" + relay.publish(),
                "--connect-subscribe=" + relay.subscribe(),
                "--tls-ca=" + ca,
                "--client=" + client,
                "--warmup=200ms",
                "--duration=300ms",
                "--latency-at=0");
    }

    private static RunResult run(Contestant contestant, Load load) throws Exception {
        return PLACES.run(contestant, load, SHORT);
    }

    private static void expectClean(RunResult result) {
        Places.expectClean(result);
    }
}
