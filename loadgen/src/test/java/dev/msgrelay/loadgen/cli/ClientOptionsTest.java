package dev.msgrelay.loadgen.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What of the clients' options fits together, and what is said where it does not. */
class ClientOptionsTest extends CommandTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    run --client fast | 'fast'
                    run --ack stream | --ack stream needs --client library
                    run --client library --ack written | --ack written needs a relay with a journal: give --relay-arg=--journal=temp
                    run --client library --ack forced --relay-arg=--journal-keep=1g | --ack forced needs a relay with a journal
                    compare --b-ack stream | --b-ack stream needs --client library
                    compare --client library --b-ack forced | --ack forced needs a relay with a journal: give --b "--journal temp"
                    run --types 0 | --types 0 is not within 1..1000
                    run --types 1001 | --types 1001 is not within 1..1000
                    run --tls --lane unix | --tls and --lane unix exclude each other
                    shootout --tls | --tls and lane unix exclude each other: give --lanes
                    shootout --tls --lanes 10gbe --publish-over unix | --tls and --publish-over unix exclude each other
                    compare --b-tls --lane unix | --b-tls and --lane unix exclude each other
                    compare --client library --b-tls --b-command {publish}{subscribe} | --tls and --b-command exclude each other
                    compare --b-tls | --b-tls needs --client library
                    run --tls --client raw | --tls and --client raw exclude each other
                    compare --a-through plain --publishers 2 | --a-through plain takes one publisher, not 2
                    compare --a-through plain --pairs 2 | --pairs 2 and --a-through plain exclude each other
                    """)
    void whatDoesNotFitIsRefusedWithItsValue(String line, String said) {
        assertThat(execute(line)).isEqualTo(2);
        assertThat(err.toString()).contains(said);
    }

    @Tag("thorough")
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void whichClientsRanStandsInTheResult() throws Exception {
        assertThat(execute("run --warmup 200ms --duration 300ms --client library --ack stream --types 4"
                        + " --rate 500 --json"))
                .as(out + " " + err)
                .isZero();
        JsonObject json = JsonParser.object().from(out.toString());
        JsonObject cell = json.getArray("lanes").getObject(0).getArray("cells").getObject(0);
        JsonObject parameters = cell.getObject("parameters");
        assertThat(parameters.getInt("types")).isEqualTo(4);
        JsonObject clients = parameters.getObject("clients");
        assertThat(clients.getString("kind")).isEqualTo("library");
        assertThat(clients.getString("acks")).isEqualTo("stream");
        JsonObject correctness = cell.getArray("runs").getObject(0).getObject("correctness");
        assertThat(correctness.getLong("acknowledged")).isPositive();
        JsonObject delays = cell.getArray("runs").getObject(0).getObject("delays");
        assertThat(delays.getObject("acknowledged").getLong("recorded")).isPositive();
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Tag("thorough")
    @Test
    void aTemporaryJournalGoesWithTheRelay() throws Exception {
        Path temporary = Files.createTempDirectory("client-options");
        try {
            assertThat(executeUntilSomethingComes(
                            "run --warmup 100ms --duration 300ms --rate 500 --client library --ack forced"
                                    + " --relay-arg=--journal=temp:" + temporary))
                    .as(out + " " + err)
                    .isZero();
            assertThat(out.toString()).contains("acknowledged when forced").contains("(forced, from the time");
            try (Stream<Path> left = Files.list(temporary)) {
                assertThat(left).isEmpty();
            }
        } finally {
            Files.delete(temporary);
        }
    }

    private int executeUntilSomethingComes(String line) {
        String[] words = line.split(" ");
        return executeUntilSomethingComes(words[0], (Object[]) Arrays.copyOfRange(words, 1, words.length));
    }

    private int execute(String line) {
        String[] words = line.split(" ");
        return execute(words[0], (Object[]) Arrays.copyOfRange(words, 1, words.length));
    }
}
