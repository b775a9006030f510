package dev.msgrelay.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.testing.OddFiles;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The files that a node makes before Aeron has any of them. */
@Timeout(60)
class NodePlaceTest {
    @TempDir
    private Path folder;

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    /** The first of five that are free: nodes of other tests may run beside. */
    static int ports() {
        while (true) {
            int port = 12_000 + 5 * ThreadLocalRandom.current().nextInt(1_500);
            if (IntStream.range(port, port + 5).allMatch(NodePlaceTest::isFree)) {
                return port;
            }
        }
    }

    private static boolean isFree(int port) {
        try (DatagramSocket socket = new DatagramSocket(port, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (SocketException taken) {
            return false;
        }
    }

    private Path conf() throws IOException {
        return Files.writeString(
                folder.resolve("cluster.conf"),
                "cluster { name = n, sync = 1, directory = \"" + folder.resolve("nodes") + "\", shared = \"" + folder
                        + "\", members { 1 = \"127.0.0.1:" + ports() + "\" } }");
    }

    /** Aeron's own files are for everybody to read, and lie in folders that are not. */
    @Test
    void nobodyElseReadsTheLog() throws IOException {
        try (NodePlace place = NodePlace.acquire(conf(), 1)) {
            assertThat(mode(place.directory())).matches("rwx[r-]-[x-]---");
            assertThat(mode(place.directory().resolve("lock"))).matches("rw-[r-]-----");
            assertThat(mode(place.directory().resolve("node"))).matches("rw-[r-]-----");
            assertThat(Path.of(place.driver()).getParent()).isEqualTo(folder.resolve("relay-n-1"));
            assertThat(mode(Path.of(place.driver()).getParent())).matches("rwx[r-]-[x-]---");
        }
        assertThat(folder.resolve("relay-n-1")).doesNotExist();
    }

    @Test
    void aPipeInThePlaceOfItsIdentity() throws Exception {
        NodePlace.acquire(conf(), 1).close();
        Path identity = folder.resolve("nodes/node-1/node");
        Files.delete(identity);
        OddFiles.pipe(identity);
        assertThatThrownBy(() -> NodePlace.acquire(conf(), 1)).hasMessageEndingWith("node-1/node is no regular file");
    }
}
