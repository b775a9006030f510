package dev.msgrelay.loadgen.rig;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.plan.Clients;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.loadgen.result.RunRecord;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Runs over TLS, short, with real processes and sockets: every byte is checked as ever. Nothing here asserts a speed.
 */
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
        Clients acknowledged = new Clients(Clients.Kind.LIBRARY, Clients.Ack.STREAM, false);
        RunRecord result = LoadRun.alone(
                Plan.here("", RELAY, LOAD.withClients(acknowledged).withTls(), SHORT, Rig.OWN), 1, RunObserver.NONE);
        expectClean(result);
        assertThat(result.correctness().acknowledged())
                .isEqualTo(result.correctness().sent());
        assertThat(result.resources().relay().gcCount()).isNotNegative();
    }

    private static RunRecord run(Contestant contestant, Load load) throws Exception {
        return PLACES.run(contestant, load, SHORT);
    }

    private static void expectClean(RunRecord result) {
        Places.expectClean(result);
    }
}
