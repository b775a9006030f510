package dev.msgrelay.server.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.config.ListenConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Where a relay cannot listen: one clear line, and nothing left behind. And where it can all the same. */
class ListenTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#transports")
    void aPortThatIsTaken(Setting setting) throws IOException {
        long before = PlatformDependent.usedDirectMemory();
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            assertThatIOException()
                    .isThrownBy(() -> RelayServer.start(
                            builder(setting).subscribePort(taken.getLocalPort()).build()))
                    .withMessageContaining("cannot listen on 127.0.0.1:" + taken.getLocalPort())
                    .withMessageMatching("cannot listen on [^ ]+: Address( already)? in use.*");
        }
        assertThat(PlatformDependent.usedDirectMemory()).isEqualTo(before);
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#transports")
    void aHostThatIsNotThere(Setting setting) {
        assertThatIOException()
                .isThrownBy(() -> RelayServer.start(
                        builder(setting).host("no-such-host.invalid").build()))
                .withMessageContaining("no-such-host.invalid")
                .withMessageContaining("unknown host");
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#transports")
    void aSocketPathThatIsNoSocketIsLeftAlone(Setting setting) throws IOException {
        Path file = Files.writeString(folder.resolve("notes"), "keep me");
        assertThatIOException()
                .isThrownBy(() ->
                        RelayServer.start(builder(setting).publishSocket(file).build()))
                .withMessageContaining("unix:" + file)
                .withMessageContaining("not a socket");
        assertThat(file).hasContent("keep me");
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#transports")
    void aSocketInAFolderThatDoesNotExist(Setting setting) {
        assertThatIOException()
                .isThrownBy(() -> RelayServer.start(builder(setting)
                        .publishSocket(folder.resolve("none/pub"))
                        .build()))
                .withMessageContaining("no such folder: " + folder.resolve("none"));
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#transports")
    void aSocketInAFolderThatTakesNone(Setting setting) {
        // Not even from the superuser.
        Path nowhere = Path.of("/proc/self/relay-test");
        assertThatIOException()
                .isThrownBy(() -> RelayServer.start(
                        builder(setting).publishSocket(nowhere).build()))
                .withMessageStartingWith("cannot listen on unix:" + nowhere + ": ");
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#transports")
    void aSocketPathThatIsTooLong(Setting setting) {
        Path path = folder.resolve("p".repeat(120));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder(setting).publishSocket(path).build())
                .withMessageContaining("of " + path.toString().length() + " bytes")
                .withMessageContaining("limit of 107");
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#transports")
    void aSocketThatSomebodyAnswersOnIsLeftAlone(Setting setting) throws IOException {
        Path path = folder.resolve("pub");
        try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            other.bind(UnixDomainSocketAddress.of(path));
            assertThatIOException()
                    .isThrownBy(() -> RelayServer.start(
                            builder(setting).publishSocket(path).build()))
                    .withMessageContaining("unix:" + path)
                    .withMessageContaining("in use");
            assertThat(Files.exists(path)).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#transports")
    void aStaleSocketFileIsReplacedAndItsSuccessorRemovedAtTheEnd(Setting setting) throws IOException {
        Path publish = folder.resolve("pub");
        Path subscribe = folder.resolve("sub");
        try (ServerSocketChannel crashed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            crashed.bind(UnixDomainSocketAddress.of(publish));
        }
        assertThat(Files.exists(publish)).isTrue();
        try (TestRelay relay =
                        TestRelay.start(setting, b -> b.publishSocket(publish).subscribeSocket(subscribe));
                PlainSubscriber subscriber = relay.subscriber();
                PlainPublisher publisher = PlainPublisher.connect(UnixDomainSocketAddress.of(publish))) {
            publisher.send(new Frames().frame(Frames.type(0, 0), 10));
            subscriber.awaitMessages(1).received().assertAllOf(1);
        }
        assertThat(folder).isEmptyDirectory();
    }

    /** Somebody has removed its socket and started another relay there: that one stays where it is. */
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#transports")
    void aSocketThatIsAnotherOnesByNowIsLeftAlone(Setting setting) throws IOException {
        Path publish = folder.resolve("pub");
        RelayServer first =
                RelayServer.start(builder(setting).publishSocket(publish).build());
        Files.delete(publish);
        try (TestRelay second = TestRelay.start(setting, b -> b.publishSocket(publish));
                PlainSubscriber subscriber = second.subscriber()) {
            first.close();
            try (PlainPublisher publisher = PlainPublisher.connect(UnixDomainSocketAddress.of(publish))) {
                publisher.send(new Frames().frame(Frames.type(0, 0), 10));
                subscriber.awaitMessages(1).received().assertAllOf(1);
            }
        }
        assertThat(folder).isEmptyDirectory();
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#transports")
    void withoutTcpAtAll(Setting setting) throws IOException {
        RelayConfig config = builder(setting)
                .publishPort(ListenConfig.OFF)
                .subscribePort(ListenConfig.OFF)
                .publishSocket(folder.resolve("pub"))
                .subscribeSocket(folder.resolve("sub"))
                .build();
        try (RelayServer relay = RelayServer.start(config)) {
            assertThat(relay.publishAddress()).isNull();
            assertThat(relay.subscribeAddress()).isNull();
            assertThat(relay.addresses()).hasSize(2);
        }
        assertThat(folder).isEmptyDirectory();
    }

    private static RelayConfig.Builder builder(Setting setting) {
        return RelayConfig.builder()
                .publishPort(0)
                .subscribePort(0)
                .logSize(8 << 20)
                .transport(setting.transport());
    }
}
