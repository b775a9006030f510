package dev.msgrelay.loadgen.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** The experiments on files, as commands. */
class LabFileCommandsTest {
    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            value = {
                "files --size 0              | --size 0 is not within 1..1000000",
                "files --size 400,x          | 'x'",
                "async-files --pool 0        | --pool 0 is not within 1..1000",
                "async-files --outstanding 0 | --outstanding 0 is not within 1..10000",
                "async-files --duration 0    | --duration 0 is not above 0",
                "event-log --threads 1001    | --threads 1001 is not within 1..1000",
                "event-log --duration 0s     | --duration 0 is not above 0",
                "senders --clients 50,5001   | --clients 5001 is not within 1..5000",
                "senders --limit -1          | --limit -1 is not within 0..10000",
                "senders --workers 0         | --workers 0 is not within 1..5000",
                "senders --socket-buffer -1  | --socket-buffer -1 is not within 0..1048576",
                "senders --duration 0        | --duration 0 is not above 0",
            })
    void wrongOptionsAreRefused(String commandLine, String message) {
        assertThat(lab(commandLine.trim().split(" "))).isEqualTo(2);
        assertThat(err.toString()).contains(message.trim());
    }

    @Test
    void noRoomIsSaidBeforeAnythingStarts() {
        assertThat(lab("files", "--size", "1000000", "--dir", directory.toString()))
                .isEqualTo(1);
        assertThat(err.toString())
                .contains("FAIL: files: 2,000,064 MB needed in " + directory)
                .contains(" MB free");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aRowThatLosesDataEndsTheCommandWithOne() {
        int code =
                lab(("async-files --quick --rounds 1 --duration 50ms --pool 1 --outstanding 5000 --close-at-once --dir "
                                + directory)
                        .split(" "));
        assertThat(out.toString())
                .containsPattern("FAILED fixed pool, not waiting, closed at once: record \\d+ of \\d+ is missing")
                .contains("plain write");
        assertThat(code).isEqualTo(1);
        assertThat(directory).isEmptyDirectory();
    }

    private int lab(String... args) {
        CommandLine command = LoadgenMain.commandLine();
        command.setOut(new PrintWriter(out, true));
        command.setErr(new PrintWriter(err, true));
        String[] all = new String[args.length + 1];
        all[0] = "lab";
        System.arraycopy(args, 0, all, 1, args.length);
        return command.execute(all);
    }
}
