package dev.msgrelay.loadgen.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@DisabledOnOs(OS.WINDOWS)
class SystemCommandsTest {
    @Test
    void theSystemsOwnDirectoriesComeLast() {
        assertThat(Subprocess.withSystem("/a:/b")).isEqualTo("/a:/b:/usr/sbin:/sbin");
        assertThat(Subprocess.withSystem("")).isEqualTo("/usr/sbin:/sbin");
    }

    @Test
    void theFirstThatMayBeRunIsTaken(@TempDir Path directory) throws Exception {
        Path first = Files.createDirectory(directory.resolve("first"));
        Path second = Files.createDirectory(directory.resolve("second"));
        Files.createFile(first.resolve("tc"));
        Path tc = Files.createFile(second.resolve("tc"));
        assertThat(tc.toFile().setExecutable(true)).isTrue();
        String path = first + ":" + second;
        assertThat(Subprocess.found(List.of("tc", "-V"), path)).containsExactly(tc.toString(), "-V");
        assertThat(Subprocess.found(List.of("ip", "-V"), path)).containsExactly("ip", "-V");
        assertThat(Subprocess.found(List.of("/bin/tc"), path)).containsExactly("/bin/tc");
    }
}
