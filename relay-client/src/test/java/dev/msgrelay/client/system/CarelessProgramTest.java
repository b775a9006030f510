package dev.msgrelay.client.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.testing.FreePort;
import dev.msgrelay.testing.TestProcess;
import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs that end without close, and programs that wait for a relay that is not there, with slf4j-api alone. */
@Execution(ExecutionMode.CONCURRENT)
class CarelessProgramTest {
    private static RelayServer start(int subscribePort) throws IOException {
        return RelayServer.start(RelayConfig.builder(0, subscribePort).build());
    }

    private static TestProcess run(boolean logs, String... arguments) throws IOException {
        List<String> command = TestProcess.javaCommand(CarelessProgram.class.getName(), arguments);
        int classPath = command.indexOf("-cp") + 1;
        String without = Stream.of(command.get(classPath).split(File.pathSeparator))
                .filter(jar -> logs || !jar.contains("slf4j-simple"))
                .collect(Collectors.joining(File.pathSeparator));
        command.set(classPath, without);
        command.add(1, "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
        return new TestProcess(command);
    }

    /** Without the notice of slf4j-api that it has no provider. */
    private static List<String> errors(TestProcess program) {
        return program.errors().stream()
                .filter(line -> !line.startsWith("SLF4J"))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ends", "settles", "closes"})
    void whatWasPublishedIsSettledBeforeTheProgramEnds(String how) throws Exception {
        try (RelayServer relay = start(0)) {
            String endpoint = "127.0.0.1:" + relay.publishAddress().getPort();
            try (TestProcess program = run(false, how, endpoint, "120000")) {
                assertThat(program.awaitExit()).isZero();
                assertThat(errors(program)).isEmpty();
            }
            assertThat(relay.stats().get(Counter.MESSAGES_IN)).isEqualTo(1000);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatIsLeftIsTold(boolean logs) throws Exception {
        try (TestProcess program = run(logs, "ends", "127.0.0.1:" + FreePort.next(), "1")) {
            assertThat(program.awaitExit()).isZero();
            assertThat(errors(program))
                    .filteredOn(line -> line.contains(" ends"))
                    .singleElement()
                    .asString()
                    .contains("the program ends, and has not closed its publisher: 1000 messages not acknowledged");
        }
    }

    /** Its close has thrown, which is told once. */
    @Test
    void whatAProgramHearsFromCloseIsNotToldAgain() throws Exception {
        try (TestProcess program = run(false, "closes", "127.0.0.1:" + FreePort.next(), "1")) {
            assertThat(program.awaitExit()).isEqualTo(1);
            assertThat(errors(program))
                    .filteredOn(line -> line.contains("1000 messages not acknowledged"))
                    .singleElement()
                    .asString()
                    .startsWith("Exception in thread \"main\" dev.msgrelay.client.PublishException: closed with");
            assertThat(errors(program)).noneMatch(line -> line.contains("CIRCULAR"));
        }
    }

    /** In one line each, also where no log is written. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRelayThatIsNotThereAndThenIsThere(boolean logs) throws Exception {
        int port = FreePort.next();
        try (TestProcess program = run(logs, "subscribes", "127.0.0.1:" + port)) {
            String refused = program.error(0, line -> line.contains("Connection refused; next try in "));
            assertThat(refused).matches(logs ? ".*WARN.*" : "relay: .*");
            try (RelayServer relay = start(port)) {
                String connected = program.error(0, line -> line.contains("connected to 127.0.0.1:" + port));
                assertThat(connected).matches(logs ? ".*WARN.*" : "relay: .*");
                assertThat(relay.subscribeAddress().getPort()).isEqualTo(port);
            }
            if (!logs) {
                assertThat(errors(program)).containsOnlyOnce(refused).hasSize(2);
            }
        }
    }
}
