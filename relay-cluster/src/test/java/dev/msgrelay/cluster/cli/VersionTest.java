package dev.msgrelay.cluster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code relay-cluster -V}, of each of its commands. */
class VersionTest {
    @ParameterizedTest
    @ValueSource(strings = {"-V", "demo -V", "local --version", "snapshot -V", "restore -V"})
    void allTellIt(String line) {
        StringWriter out = new StringWriter();
        int code = RelayClusterMain.commandLine()
                .setOut(new PrintWriter(out, true))
                .execute(line.split(" "));
        assertThat(code).isZero();
        assertThat(out.toString().strip()).isEqualTo("relay-cluster (not packaged)");
    }
}
