package dev.msgrelay.loadgen.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.loadgen.host.NetInterfaces;
import dev.msgrelay.loadgen.host.Tree;
import dev.msgrelay.loadgen.link.Link;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

/** Which link it is, on a host whose interfaces the test makes. */
class LinkOptionsTest {
    @TempDir
    private Path root;

    private NetInterfaces interfaces;

    @BeforeEach
    void aHost() {
        Tree files = new Tree(root);
        add(files, "fast", "0x1003", "9000", "10000");
        add(files, "virtual", "0x1003", "1400", "-1");
        add(files, "lo", "0x9", "65536", "-1");
        add(files, "odd", "0x1003", "65", "99000000");
        interfaces = new NetInterfaces(files.tree());
    }

    @Test
    void speedAndMtuAreReadFromTheInterface() throws IOException {
        assertThat(link("--interface", "fast").speed()).hasToString("10 Gbit/s");
        assertThat(link("--interface", "fast").format().mtu()).isEqualTo(9_000);
    }

    @Test
    void whatIsGivenGoesBeforeWhatIsRead() throws IOException {
        assertThat(link("--interface", "virtual", "--link", "2.5g").speed()).hasToString("2.5 Gbit/s");
        assertThat(link("--interface", "virtual", "--link", "2.5g").format().mtu())
                .isEqualTo(1_400);
        assertThat(link("--interface", "fast", "--mtu", "1500").format().mtu()).isEqualTo(1_500);
        assertThat(link("--link", "1gbe").format().mtu()).isEqualTo(1_500);
    }

    @Test
    void aSpeedThatNobodyTellsIsAFailure() {
        assertThatThrownBy(() -> link("--interface", "virtual"))
                .isInstanceOf(IOException.class)
                .hasMessage("the system does not tell the speed of virtual: give it by --link");
        assertThatThrownBy(() -> link("--interface", "odd", "--mtu", "1500"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("99000 Gbit/s is not within 1 Mbit/s..1600 Gbit/s");
    }

    @Test
    void anInterfaceThatIsNoLinkIsRefused() {
        assertThatThrownBy(() -> link("--interface", "lo"))
                .isInstanceOf(ParameterException.class)
                .hasMessageContaining("--interface lo is loopback, which has no line rate");
        assertThatThrownBy(() -> link("--interface", "none"))
                .isInstanceOf(ParameterException.class)
                .hasMessage("--interface 'none' is none of fast, lo, odd, virtual");
        assertThatThrownBy(() -> link("--interface", "odd", "--link", "1gbe"))
                .isInstanceOf(ParameterException.class)
                .hasMessage("--interface odd: MTU 65 is not within 68..65535 for IPv4");
    }

    private Link link(String... args) throws IOException {
        Holder holder = new Holder();
        new CommandLine(holder).parseArgs(args);
        return holder.options.link(interfaces);
    }

    private static void add(Tree files, String name, String flags, String mtu, String speed) {
        files.with("sys/class/net/" + name + "/flags", flags)
                .with("sys/class/net/" + name + "/mtu", mtu)
                .with("sys/class/net/" + name + "/speed", speed);
    }

    @Command
    private static final class Holder {
        @Mixin
        private LinkOptions options;
    }
}
