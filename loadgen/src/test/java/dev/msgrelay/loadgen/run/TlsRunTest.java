package dev.msgrelay.loadgen.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.cli.LoadgenMain;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
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

    @Tag("thorough")
    @Test
    void whomItTrustsIsTold() throws Exception {
        try (Children children = new Children()) {
            Contestant.Started relay = RELAY.start(children, LOAD.withTls());
            Path right = OwnCertificate.at("127.0.0.1").certificate();
            Path wrong = OwnCertificate.at("127.0.0.2").certificate();
            assertThat(against(relay, right)).as(err.toString()).isZero();
            String where = "loadgen run: FAIL: subscriber 0: TLS with " + relay.subscribe() + " failed: ";
            assertThat(against(relay, wrong)).isOne();
            assertThat(err.toString())
                    .startsWith(where + "the relay's certificate is refused")
                    .hasLineCount(1);
        }
        try (Children children = new Children()) {
            Contestant.Started plain = RELAY.start(children, LOAD);
            Path some = OwnCertificate.at("127.0.0.1").certificate();
            assertThat(against(plain, some)).isOne();
            assertThat(err.toString()).contains("this port is for plain ones").hasLineCount(1);
            assertThat(against(plain, Path.of("nothing.pem"))).isOne();
            assertThat(err.toString()).contains("nothing.pem").hasLineCount(1);
        }
    }

    private int against(Contestant.Started relay, Path ca) {
        err.getBuffer().setLength(0);
        CommandLine command = LoadgenMain.commandLine();
        command.setOut(new PrintWriter(new StringWriter(), true));
        command.setErr(new PrintWriter(err, true));
        return command.execute(
                "run",
                "--connect=" + relay.publish(),
                "--connect-subscribe=" + relay.subscribe(),
                "--tls-ca=" + ca,
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
