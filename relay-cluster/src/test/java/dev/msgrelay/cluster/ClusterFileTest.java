package dev.msgrelay.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.config.RelayOption;
import dev.msgrelay.server.host.SystemTree;
import dev.msgrelay.testing.Tree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClusterFileTest {
    private static final String GOOD = "name = orders, directory = /var/lib/relay";
    private static final String MEMBERS =
            "members { 1 = \"10.0.0.1:7410\", 2 = \"10.0.0.2:7410\", 3 = \"10.0.0.3:7410\" }";

    @TempDir
    private Path folder;

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("cluster.conf"), text);
    }

    @Test
    void saysWhoIsInIt() throws IOException {
        ClusterFile read = ClusterFile.read(
                file("log-size = 1m, cluster { " + GOOD + ", sync = 1, mtu = 8896\n" + MEMBERS + " }"));
        assertThat(read.sync()).isTrue();
        assertThat(read.mtu()).isEqualTo(8896);
        assertThat(read.snapshot()).hasMinutes(10);
        assertThat(read.snapshotBytes()).isEqualTo(1 << 30);
        assertThat(read.directoryOf(2)).hasToString("/var/lib/relay/node-2");
        assertThat(read.sharedOf(2)).hasToString("/dev/shm/relay-orders-2");
        assertThat(read.aeronIngress()).isEqualTo("1=10.0.0.1:7410,2=10.0.0.2:7410,3=10.0.0.3:7410");
        assertThat(read.aeronMembers())
                .startsWith("1,10.0.0.1:7410,10.0.0.1:7411,10.0.0.1:7412,10.0.0.1:7413,10.0.0.1:7414|2,");
    }

    @Test
    void aDirectoryThatIsGoneWithTheMachineIsWarnedOf() throws IOException {
        Path place = folder.toRealPath();
        ClusterFile read =
                ClusterFile.read(file("cluster { name = orders, directory = \"" + place + "/log\"\n" + MEMBERS + " }"));
        SystemTree system = new SystemTree(new Tree(place)
                .with("proc/self/mountinfo", Tree.mount(place, "tmpfs"))
                .root());
        assertThat(read.fleeting(system))
                .contains("cluster.directory " + place + "/log is on tmpfs (" + place
                        + "), which is memory: it does not survive the machine");
        assertThat(read.fleeting(new SystemTree(place.resolve("none")))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "log-size = 1m                              | no block cluster",
                "cluster = 5                                | no block cluster",
                "cluster {}                                 | cluster.conf:1: cluster.name is missing",
                "cluster { name = a b }                     | cluster.name 'a b' is not",
                "cluster { name = a, colour = red }         | unknown key cluster.colour; there are name, directory",
                "cluster { name = a }                       | cluster.directory is missing",
                "cluster { name = a, directory = d }        | cluster.members is to be a block",
                "cluster { name = a, directory = d, sync = 2 }                       | cluster.sync '2' is neither 0 nor 1",
                "cluster { name = a, directory = d, mtu = 1500 }                     | cluster.mtu '1500' is no multiple of 32 within 1024..65504",
                "cluster { name = a, directory = d, mtu = 992 }                      | cluster.mtu '992' is no multiple",
                "cluster { name = a, directory = d, mtu = 65536 }                    | cluster.mtu '65536' is no multiple",
                "cluster { name = a, directory = d, snapshot = 1s }                 | cluster.snapshot 1s is not within 5s..24h",
                "cluster { name = a, directory = d, snapshot = soon }               | cluster.conf:1: Invalid value at",
                "cluster { name = a, directory = d, snapshot-log = 9 }              | cluster.snapshot-log 9 is not within 1m..1t",
                "cluster { name = a, directory = d, state = much }                  | cluster.conf:1: cluster.state 'much' is not a size",
                "cluster { name = a, directory = d, state { types = 1 } }           | cluster.state is to be a value",
                "cluster { name = a, directory = d, state-types = 9-1 }             | cluster.conf:1: cluster.state-types ",
                "cluster { name = a, directory = d, members = 3 }                    | cluster.members is to be a block",
                "cluster { name = a, directory = d, members {} }                     | cluster.members: 0 nodes; there may be 3",
                "cluster { name = a, directory = d, members { 1 = \"h:1\", 2 = \"i:1\" } } | 2 nodes; there may be 3, 5 or 7",
                "cluster { name = a, directory = d, members { one = \"h:1\" } }        | 'one' is no node's number within 1..100",
                "cluster { name = a, directory = d, members { 0 = \"h:1\" } }          | '0' is no node's number",
                "cluster { name = a, directory = d, members { 1 = h } }              | 'h' is no host:port, such as",
                "cluster { name = a, directory = d, members { 1 = \"h:65535\" } }      | with a port within 1..65531",
                "cluster { name = a, directory = d, members { 1 = \"h:10\", 2 = \"h:14\", 3 = \"i:1\" } } | nodes 1 and 2, h:10 and h:14: each has 5 ports",
                "cluster { name = a, directory = d, members { 1 = \"h:10\", 2 = \"H:14\", 3 = \"i:1\" } } | h:10 and H:14: each has 5 ports",
                "cluster { name = a, directory = d, members { 1 = \"localhost:10\", 2 = \"127.0.0.1:14\", 3 = \"i:1\" } } | and 127.0.0.1:14: each has 5 ports",
                "cluster { name = a, directory = d, members { 1 = \"h:1\", 01 = \"i:1\", 2 = \"j:1\", 3 = \"k:1\" } } | node 1 is there twice, once as",
                "cluster { name = a, directory = null }                              | cluster.directory is to be a value",
                "cluster { name = a, directory = [a] }                               | cluster.directory is to be a value",
                "cluster { name = a, directory = /a//b }                             | cluster.conf:1: a comment begins directly behind",
                "cluster {                                  | cluster.conf"
            })
    void whatIsWrongIsNamedWithItsPlace(String text, String error) throws IOException {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterFile.read(file(text)))
                .withMessageContaining(error);
    }

    /** The library takes it for a number, which it writes in its own way. */
    @Test
    void aDirectoryIsTakenAsItIsWritten() throws IOException {
        ClusterFile read = ClusterFile.read(file("cluster { name = 07, directory = 2026.10\n" + MEMBERS + " }"));
        assertThat(read.directoryOf(2)).hasToString("2026.10/node-2");
        assertThat(read.sharedOf(2)).hasToString("/dev/shm/relay-07-2");
    }

    @Test
    void aMissingFileIsNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterFile.read(folder.resolve("none.conf")))
                .withMessage(folder.resolve("none.conf") + ": there is no such file");
    }

    @Test
    void aConfigurationIsCheckedWithTheClustersFile() throws IOException {
        Path good = file("cluster { " + GOOD + "\n" + MEMBERS + " }");
        new ClusterNode.Provider().check(RelayConfig.builder().cluster(good, 3).build());
        assertThatIOException()
                .isThrownBy(() -> new ClusterNode.Provider()
                        .check(RelayConfig.builder().cluster(good, 4).build()))
                .withMessageContaining("node 4 is not among the members [1, 2, 3]");
        Path bad = file("cluster { " + GOOD + ", mtu = 9\n" + MEMBERS + " }");
        assertThatIOException()
                .isThrownBy(() -> new ClusterNode.Provider()
                        .check(RelayConfig.builder().cluster(bad, 3).build()))
                .withMessageContaining("cluster.conf:1: cluster.mtu '9'");
        Path nowhere = file("cluster { " + GOOD + ", shared = /no/such/folder\n" + MEMBERS + " }");
        assertThatIOException()
                .isThrownBy(() -> new ClusterNode.Provider()
                        .check(RelayConfig.builder().cluster(nowhere, 3).build()))
                .withMessage("cluster.shared /no/such/folder is no directory");
    }

    @Test
    void aNodeWithAnotherStateIsRefused() throws IOException {
        String block = "cluster { name = orders, directory = \"" + folder + "\"\n" + MEMBERS;
        Path file = file(block + ", state = 2m, state-types = \"1-9\" }");
        new ClusterNode.Provider().check(node(file, 2 << 20, "1-9"));
        refused(node(file, 3 << 20, "1-9"), "state 3145728 is not the 2097152 of cluster.state");
        refused(node(file, 0, "all"), "state 0 is not the 2097152 of cluster.state");
        refused(node(file, 2 << 20, "1-10"), "state types 1-10 are not the 1-9 of cluster.state-types");
        assertThat(folder.resolve("node-3")).doesNotExist();
        // Without it each node has its own.
        new ClusterNode.Provider().check(node(file(block + " }"), 3 << 20, "1-10"));
    }

    private static RelayConfig node(Path file, int state, String types) {
        return RelayConfig.builder()
                .cluster(file, 3)
                .set(RelayOption.STATE, state)
                .set(RelayOption.STATE_TYPES, TypeRanges.parse(types))
                .build();
    }

    private static void refused(RelayConfig node, String why) {
        String words =
                why + ": what stands in the block holds for each node, so give the node the same, or leave its own out";
        assertThatIOException()
                .isThrownBy(() -> new ClusterNode.Provider().check(node))
                .withMessage(words);
        assertThatIOException()
                .isThrownBy(() -> new ClusterNode.Provider().join(node))
                .withMessage(words);
    }
}
