package dev.msgrelay.loadgen.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** As {@link UsageTest}, for the lab. */
class LabUsageTest {
    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "lab                          | which experiment? list, all, readers, batching",
                "lab nothing                  | nothing",
                "lab all --rounds 0           | --rounds 0 is not within 1..101",
                "lab all --json /proc/x/y     | --json '/proc/x/y' is not a file that can be written",
                "lab all --html /             | --html '/' is not a file that can be written",
                "lab readers --lane 2gbe      | --lane: lane '2gbe' is none of loopback",
                "lab readers --lane unix      | --lane: lane 'unix' is none that the article's clients can read",
                "lab readers --body 7         | --body 7 is not within 8..8192",
                "lab readers --write-size -1  | --write-size -1 is not within 0..4194304",
                "lab readers --duration 2m    | --duration 120000ms is not within 1ms..1m",
                "lab batching --body 15       | --body 15 is not within 16..1000000",
                "lab batching --packet 107    | --packet 107 is not within 108..4194304",
                "lab batching --threads 1,0   | --threads 0 is not within 1..1000",
                "lab batching --load 7        | --load 7 is not within 8..100000000",
                "lab batching --load 900,800  | --load 800 is not within 901..100000000",
                "lab batching --wait spin     | --wait",
            })
    void isRefused(String commandLine, String message) {
        StringWriter err = new StringWriter();
        CommandLine command = LoadgenMain.commandLine();
        command.setErr(new PrintWriter(err, true));
        command.setOut(new PrintWriter(new StringWriter(), true));
        int code = command.execute(commandLine.trim().split(" +"));
        assertThat(err.toString()).contains(message.trim());
        assertThat(code).isEqualTo(2);
    }
}
