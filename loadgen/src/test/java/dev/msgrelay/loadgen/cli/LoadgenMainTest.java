package dev.msgrelay.loadgen.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.testing.TestProcess;
import dev.msgrelay.testing.ThisMachine;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class LoadgenMainTest {
    private static final File FULL = new File("/dev/full");
    private static final String LOST = "loadgen: FAIL: standard output: could not be written";

    private final StringWriter err = new StringWriter();

    @Test
    void aResultThatCanBePrintedIsNoFailure() {
        assertThat(execute(new StringWriter(), "ceiling", "--link", "1gbe")).isZero();
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void aResultThatCannotBePrintedIsAFailure() {
        assertThat(execute(new FullWriter(), "ceiling", "--link", "1gbe")).isOne();
        assertThat(err.toString().trim()).isEqualTo(LOST);
        assertThat(execute(new FullWriter(), "ceiling", "--help")).isOne();
        assertThat(execute(new FullWriter(), "run", "--help")).isOne();
    }

    @Test
    void aFullDiskBehindStdoutIsAFailure() throws Exception {
        ThisMachine.need(FULL.exists(), "no " + FULL);
        Process process = TestProcess.builder(
                        TestProcess.javaCommand(LoadgenMain.class.getName(), "ceiling", "--link", "1gbe", "--json"))
                .redirectOutput(FULL)
                .start();
        try {
            String said = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
            assertThat(said).contains(LOST);
            assertThat(process.exitValue()).isOne();
        } finally {
            process.destroyForcibly();
        }
    }

    private int execute(Writer out, String... args) {
        CommandLine command = LoadgenMain.commandLine(new LoadgenMain());
        command.setOut(new PrintWriter(out, true));
        command.setErr(new PrintWriter(err, true));
        return LoadgenMain.execute(command, args);
    }

    private static final class FullWriter extends Writer {
        @Override
        public void write(char[] buffer, int offset, int length) throws IOException {
            throw new IOException("No space left on device");
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
