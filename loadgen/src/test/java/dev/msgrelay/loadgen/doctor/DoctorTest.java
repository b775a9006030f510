package dev.msgrelay.loadgen.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.host.NetInterfaces.NetInterface;
import dev.msgrelay.loadgen.host.SystemTree;
import dev.msgrelay.loadgen.host.Tool;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DoctorTest {
    private static final Tool NO_TOOLS = command -> {
        throw new IOException("No such file or directory");
    };

    @TempDir
    private Path root;

    private final List<Finding> findings = new ArrayList<>();

    @Test
    void aMachineWithoutProcAndToolsIsUnknownAndStillPossible() throws Exception {
        new Doctor(new SystemTree(root), NO_TOOLS, findings::add).examine(List.of(link(0)));
        assertThat(findings)
                .filteredOn(finding -> finding.value().equals("unknown"))
                .extracting(Finding::name)
                .contains(
                        "virtual machine",
                        "CPU governor",
                        "load average",
                        "clock source",
                        "sched_autogroup",
                        "transparent huge pages",
                        "container limits",
                        "memory",
                        "TCP congestion control",
                        "tcp_rmem",
                        "tcp_wmem",
                        "socket buffer limits",
                        "somaxconn",
                        "eth0 offloads")
                .doesNotContain("cores", "nanoTime", "open files", "JDK", "transports", "loopback", "eth0 MTU");
        assertThat(findings).noneMatch(finding -> finding.level() == Level.IMPOSSIBLE);
        assertThat(findings).allSatisfy(finding -> {
            assertThat(finding.value()).isNotBlank();
            assertThat(finding.meaning()).isNotBlank();
        });
        assertThat(findings).extracting(Finding::name).doesNotHaveDuplicates();
    }

    @Test
    void hundredsOfInterfacesAreNotAllListed() throws Exception {
        new Doctor(new SystemTree(root), NO_TOOLS, findings::add)
                .examine(IntStream.range(0, 100).mapToObj(DoctorTest::link).toList());
        assertThat(findings)
                .filteredOn(finding -> finding.name().endsWith(" link"))
                .hasSize(16);
        assertThat(findings)
                .filteredOn(finding -> finding.name().equals("more interfaces"))
                .singleElement()
                .extracting(Finding::value)
                .isEqualTo("84");
    }

    private static NetInterface link(int index) {
        return new NetInterface(
                "eth" + index, true, false, "up", OptionalInt.of(1_500), OptionalLong.of(1_000), Optional.of("full"));
    }
}
