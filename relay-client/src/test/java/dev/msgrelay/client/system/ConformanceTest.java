package dev.msgrelay.client.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.JavaDriver;
import dev.msgrelay.testing.TestProcess;
import dev.msgrelay.testing.scripted.Conformance;
import dev.msgrelay.testing.scripted.Conformance.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The conformance kit with this library: {@code clients/conformance}. */
class ConformanceTest {
    private static final Path CLIENTS = Path.of("..", "clients");
    private static final String LIVE = "live/";
    private static final Predicate<String> LONG = name -> name.startsWith(LIVE)
            || name.startsWith("heartbeats/")
            || name.contains("handshake")
            || name.contains("no-welcome-in-time")
            || name.startsWith("frames/every-cut")
            || name.equals("limits/slow-reader-is-bounded")
            || name.equals("state/late")
            || name.startsWith("state/not-late")
            || name.contains("no-busy-loop");

    @Test
    void theLibraryDoesWhatEveryClientDoes() throws IOException {
        check(LONG.negate(), List.of());
    }

    @Tag("thorough")
    @Test
    void theLibraryDoesSoWithRealRelaysToo() throws IOException {
        check(LONG, TestProcess.javaCommand("dev.msgrelay.server.cli.RelayServerMain"));
    }

    private static void check(Predicate<String> wanted, List<String> relay) throws IOException {
        List<Conformance.Result> results = Conformance.run(
                "java",
                JavaDriver::serve,
                CLIENTS.resolve("conformance/cases"),
                CLIENTS.resolve("java/known-failing.txt"),
                wanted,
                relay);
        assertThat(results)
                .filteredOn(result -> result.outcome() == Outcome.FAILED)
                .isEmpty();
        assertThat(results)
                .filteredOn(result -> result.outcome() == Outcome.PASSED)
                .isNotEmpty();
    }
}
