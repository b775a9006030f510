package dev.msgrelay.loadgen.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.host.SystemTree;
import dev.msgrelay.testing.Tree;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Interfaces as recorded trees of /sys have them. */
class NicTest {
    @TempDir
    private Path root;

    @ParameterizedTest
    @CsvSource({
        "10000, 9000, 10000, 9000, '(mlx5_core) has 10,000 Mbit/s, MTU 9000'",
        "-1, 1400, 0, 1400, '(mlx5_core) does not tell its speed, MTU 1400'",
        "4294967295, 1500, 0, 1500, '(mlx5_core) does not tell its speed, MTU 1500'",
        "'', '', 0, 0, '(mlx5_core) does not tell its speed'",
    })
    void theSpeedAndTheMtuAreWhatTheSystemTells(String speed, String mtu, long megabits, int bytes, String text)
            throws Exception {
        SystemTree tree = tree(speed, mtu);
        Path device = Files.createDirectories(root.resolve("sys/class/net/eth0/device"));
        Files.createSymbolicLink(device.resolve("driver"), Path.of("../../../../bus/pci/drivers/mlx5_core"));
        assertThat(Nic.of(tree, "eth0")).isEqualTo(new Nic("eth0", megabits, bytes, "mlx5_core"));
        assertThat(Nic.of(tree, "eth0").text()).isEqualTo("eth0 here " + text);
    }

    @Test
    void anInterfaceThatIsNotThereTellsNothing() {
        assertThat(Nic.of(tree("10000", "1500"), "eth7")).isEqualTo(new Nic("eth7", 0, 0, ""));
    }

    @Test
    void thisHostIsReachedWithoutOne() {
        assertThat(Nic.towards(tree("10000", "1500"), "127.0.0.1")).isEmpty();
    }

    private SystemTree tree(String speed, String mtu) {
        return new SystemTree(new Tree(root)
                .with("sys/class/net/eth0/speed", speed)
                .with("sys/class/net/eth0/mtu", mtu)
                .root());
    }
}
