package dev.msgrelay.loadgen.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.host.NetInterfaces.NetInterface;
import java.net.NetworkInterface;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NetInterfacesTest {
    private static final String NET = "sys/class/net/";

    @TempDir
    private Path root;

    @Test
    void whatTheSystemTellsIsRead() {
        NetInterface eth = interfaces("eth0", "0x1003", "up", "9000", "10000")
                .named("eth0")
                .orElseThrow();
        assertThat(eth.up()).isTrue();
        assertThat(eth.loopback()).isFalse();
        assertThat(eth.mtu()).hasValue(9_000);
        assertThat(eth.megabitsPerSecond()).hasValue(10_000);
        assertThat(eth.duplex()).contains("full");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "4294967295", "0", ""})
    void aSpeedThatTheDriverDoesNotKnowIsNone(String speed) {
        assertThat(interfaces("eth0", "0x1003", "up", "1500", speed)
                        .named("eth0")
                        .orElseThrow()
                        .megabitsPerSecond())
                .isEmpty();
    }

    @Test
    void onlyWhatIsUpIsListed() {
        interfaces("down-by-flag", "0x1002", "down", "1500", "1000");
        interfaces("no-cable", "0x1003", "down", "1500", "-1");
        interfaces("lo", "0x9", "unknown", "65536", "");
        NetInterfaces all = interfaces("eth0", "0x1003", "up", "1500", "1000");
        assertThat(all.up()).extracting(NetInterface::name).containsExactly("eth0", "lo");
        assertThat(all.named("lo").orElseThrow().loopback()).isTrue();
        assertThat(all.named("no-cable").orElseThrow().up()).isFalse();
        assertThat(all.names()).hasSize(4);
    }

    @Test
    void aNameIsNoPath() {
        NetInterfaces all = interfaces("eth0", "0x1003", "up", "1500", "1000");
        assertThat(all.named("../net/eth0")).isEmpty();
        assertThat(all.named("eth1")).isEmpty();
    }

    @Test
    void withoutSysTheJdkTells() throws Exception {
        NetInterfaces all = new NetInterfaces(new SystemTree(root));
        Optional<String> loopback = NetworkInterface.networkInterfaces()
                .filter(NetInterfacesTest::isLoopback)
                .map(NetworkInterface::getName)
                .findFirst();
        NetInterface lo = all.named(loopback.orElseThrow()).orElseThrow();
        assertThat(lo.up()).isTrue();
        assertThat(lo.loopback()).isTrue();
        assertThat(lo.mtu().orElseThrow()).isPositive();
        assertThat(lo.megabitsPerSecond()).isEmpty();
    }

    private static boolean isLoopback(NetworkInterface one) {
        try {
            return one.isLoopback();
        } catch (java.net.SocketException e) {
            return false;
        }
    }

    private NetInterfaces interfaces(String name, String flags, String state, String mtu, String speed) {
        new Tree(root)
                .with(NET + name + "/flags", flags)
                .with(NET + name + "/operstate", state)
                .with(NET + name + "/mtu", mtu)
                .with(NET + name + "/speed", speed)
                .with(NET + name + "/duplex", "full");
        return new NetInterfaces(new SystemTree(root));
    }
}
