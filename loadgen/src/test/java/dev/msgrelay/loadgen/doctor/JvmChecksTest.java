package dev.msgrelay.loadgen.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JvmChecksTest {
    @Test
    void withoutALauncherNothingCanBeStarted() {
        assertThat(JvmChecks.launcher(Path.of(System.getProperty("java.home"), "bin", "java"))
                        .level())
                .isEqualTo(Level.FINE);
        Finding missing = JvmChecks.launcher(Path.of("/none/bin/java"));
        assertThat(missing.level()).isEqualTo(Level.IMPOSSIBLE);
        assertThat(missing.meaning()).contains("/none/bin/java");
    }

    @Test
    void flagsOfTheEnvironmentReachAllProcesses() {
        Finding none = JvmChecks.flags(List.of("-Xmx1g"), Map.of("PATH", "/bin", "JAVA_TOOL_OPTIONS", " "));
        assertThat(none.level()).isEqualTo(Level.FINE);
        assertThat(none.value()).isEqualTo("-Xmx1g");
        Finding inherited = JvmChecks.flags(List.of(), Map.of("JAVA_TOOL_OPTIONS", "-Xint"));
        assertThat(inherited.level()).isEqualTo(Level.WARNING);
        assertThat(inherited.value()).isEqualTo("none");
        assertThat(inherited.meaning()).contains("JAVA_TOOL_OPTIONS=-Xint");
        assertThat(JvmChecks.flags(List.of("-agentlib:jdwp=x"), Map.of()).level())
                .isEqualTo(Level.NOTE);
    }

    @Test
    void withoutEpollTheRelayFallsBack() {
        Map<String, String> reasons = new LinkedHashMap<>();
        reasons.put("epoll", "");
        reasons.put("nio", "");
        Finding withEpoll = JvmChecks.transports(reasons);
        assertThat(withEpoll.level()).isEqualTo(Level.FINE);
        assertThat(withEpoll.value()).isEqualTo("epoll, nio");
        assertThat(withEpoll.figures()).containsEntry("available", List.of("epoll", "nio"));
        reasons.put("epoll", "no native part");
        assertThat(JvmChecks.transports(reasons).level()).isEqualTo(Level.NOTE);
        assertThat(JvmChecks.transports(reasons).value()).startsWith("no epoll, nio");
    }
}
