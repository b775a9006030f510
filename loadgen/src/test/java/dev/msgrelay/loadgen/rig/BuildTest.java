package dev.msgrelay.loadgen.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BuildTest {
    @TempDir
    private Path directory;

    @Test
    void itsNewestJarIsStarted() throws Exception {
        Path older = jar("relay-server", "1.0", 1_000);
        Path newer = jar("relay-server", "0.9", 2_000);
        List<String> command = new RelayContestant.Build(directory).relay(List.of("-Xmx9m"), List.of("--json"));
        assertThat(command)
                .startsWith("env", "RELAY_INSECURE=true")
                .contains("-Xmx9m")
                .doesNotContain(older.toString())
                .endsWith("-jar", newer.toString(), "--json");
    }

    @Test
    void anOptionThatOlderBuildsLackIsInTheEnvironment() throws Exception {
        jar("relay-server", "1.0", 1_000);
        List<String> args = List.of("--json", "--local-congestion", "reno", "--mtu", "1500");
        assertThat(new RelayContestant.Build(directory).relay(List.of(), args))
                .startsWith("env", "RELAY_INSECURE=true", "RELAY_LOCAL_CONGESTION=reno")
                .doesNotContain("--local-congestion", "reno")
                .endsWith("--json", "--mtu", "1500");
    }

    @Test
    void aRelayWaitsLongForWorkersUnlessTheUserSaysOtherwise() {
        assertThat(RelayContestant.patience(List.of("--mtu", "1500")))
                .containsExactly("--handshake-timeout", "60s", "--frame-timeout", "60s", "--stall-timeout", "60s");
        assertThat(RelayContestant.patience(List.of("--stall-timeout=1s", "--handshake-timeout", "2s")))
                .containsExactly("--frame-timeout", "60s");
    }

    @Test
    void aDirectoryWithoutABuildIsToldHowToGetOne() {
        assertThatThrownBy(() -> new RelayContestant.Build(directory).jar("relay-server"))
                .isInstanceOf(IOException.class)
                .hasMessage("no relay-server/target/relay-server-*-all.jar in " + directory
                        + ": build it there with mvn -DskipTests package");
    }

    private Path jar(String module, String version, long millis) throws IOException {
        Path target = Files.createDirectories(directory.resolve(module).resolve("target"));
        Path jar = target.resolve(module + "-" + version + "-all.jar");
        try (OutputStream file = Files.newOutputStream(jar);
                ZipOutputStream zip = new ZipOutputStream(file)) {
            zip.putNextEntry(new ZipEntry("some/Program.class"));
        }
        Files.setLastModifiedTime(jar, FileTime.fromMillis(millis));
        return jar;
    }
}
