package dev.msgrelay.loadgen.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.host.Offloads.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OffloadsTest {
    private static final String ETHTOOL = """
            Features for eth0:
            rx-checksumming: on [fixed]
            tx-checksumming: on
            \ttx-checksum-ipv4: off [fixed]
            scatter-gather: on
            tcp-segmentation-offload: off
            \ttx-tcp-segmentation: off [requested on]
            generic-segmentation-offload: on
            generic-receive-offload: off [requested on]
            large-receive-offload: off [fixed]
            """;

    /** Bits 0, 1, 5, 7, 8, 10, 11, 12, 14, 15: both checksums, and TSO in both directions. */
    private static final String VIRTIO = "11000101101110110000000000000100";

    @TempDir
    private Path root;

    @Test
    void ethtoolsStatesAreReadWhateverIsFixedOrRequested() {
        Offloads offloads = Offloads.fromEthtool(ETHTOOL).orElseThrow();
        assertThat(offloads.states())
                .containsEntry(Kind.RX_CHECKSUM, true)
                .containsEntry(Kind.TX_CHECKSUM, true)
                .containsEntry(Kind.TSO, false)
                .containsEntry(Kind.GSO, true)
                .containsEntry(Kind.GRO, false)
                .containsEntry(Kind.LRO, false);
    }

    @Test
    void whatIsNoAnswerOfEthtoolIsNone() {
        assertThat(Offloads.fromEthtool("netlink error: No such device")).isEmpty();
        assertThat(Offloads.fromEthtool("")).isEmpty();
    }

    @Test
    void aVirtioDeviceTellsByBits() {
        Offloads offloads = Offloads.fromVirtio(VIRTIO).orElseThrow();
        assertThat(offloads.state(Kind.TSO)).contains(true);
        assertThat(offloads.state(Kind.LRO)).contains(true);
        assertThat(offloads.state(Kind.GRO))
                .as("the kernel's, not the device's")
                .isEmpty();
        // 16 zeros: 11 is HOST_TSO4
        assertThat(Offloads.fromVirtio("0000000000000000").orElseThrow().state(Kind.TSO))
                .contains(false);
        assertThat(Offloads.fromVirtio("0x1234567890ab")).isEmpty();
        assertThat(Offloads.fromVirtio("1100")).isEmpty();
    }

    @Test
    void ethtoolGoesFirstThenTheDeviceThenNobody() throws Exception {
        Tool ethtool = command -> {
            assertThat(command).isEqualTo(List.of("ethtool", "-k", "eth0"));
            return new Tool.Outcome(0, ETHTOOL);
        };
        Tool none = command -> {
            throw new IOException("no such file");
        };
        Tool refused = command -> new Tool.Outcome(1, "tcp-segmentation-offload: on");
        SystemTree empty = new SystemTree(root);
        assertThat(Offloads.read("eth0", empty, none)).isEmpty();
        assertThat(Offloads.read("eth0", empty, refused)).isEmpty();
        SystemTree virtio = new Tree(root)
                .with("sys/class/net/eth0/device/features", VIRTIO)
                .tree();
        assertThat(Offloads.read("eth0", virtio, none).orElseThrow().source()).contains("virtio");
        assertThat(Offloads.read("eth0", virtio, ethtool).orElseThrow().source())
                .isEqualTo("ethtool");
    }
}
