package dev.msgrelay.server.system;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.admin.AdminServer;
import dev.msgrelay.server.admin.Http;
import dev.msgrelay.server.config.AdminConfig;
import dev.msgrelay.server.config.ListenConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.testing.ShortFolders;
import dev.msgrelay.testing.SystemWords;
import dev.msgrelay.testing.ThisMachine;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Where a relay cannot listen: one clear line, and nothing left behind. And where it can all the same. */
class ListenTest {
    @TempDir(factory = ShortFolders.class)
    private Path folder;

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#transports")
    void aPortThatIsTaken(Setting setting) throws IOException {
        long before = PlatformDependent.usedDirectMemory();
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            assertThatIOException()
                    .isThrownBy(() -> RelayServer.start(builder(setting)
                            .set(SUBSCRIBE_PORT, taken.getLocalPort())
                            .build()))
                    .withMessageContaining("cannot listen on 127.0.0.1:" + taken.getLocalPort())
                    .withMessageEndingWith(": " + SystemWords.portTaken());
        }
        assertThat(PlatformDependent.usedDirectMemory()).isEqualTo(before);
    }

    /** @param words that the refusal says, of the folder of the test */
    private record Refused(
            String what, BiFunction<RelayConfig.Builder, Path, RelayConfig.Builder> place, String... words) {
        @Override
        public String toString() {
            return what;
        }
    }

    static Stream<Arguments> refused() {
        List<Refused> all = List.of(
                new Refused(
                        "a host that is not there",
                        (b, folder) -> b.set(BIND, "no-such-host.invalid"),
                        "no-such-host.invalid",
                        "unknown host"),
                new Refused(
                        "a path that is no socket",
                        (b, folder) -> b.set(PUBLISH_SOCKET, folder.resolve("notes")),
                        "unix:FOLDER/notes",
                        "not a socket"),
                new Refused(
                        "a folder that does not exist",
                        (b, folder) -> b.set(PUBLISH_SOCKET, folder.resolve("none/pub")),
                        "no such folder: FOLDER/none"),
                // Not even from the superuser.
                new Refused(
                        "a folder that takes none",
                        (b, folder) -> b.set(PUBLISH_SOCKET, ThisMachine.proc("self", "relay-test")),
                        "cannot listen on unix:/proc/self/relay-test: "),
                new Refused(
                        "a socket that somebody answers on",
                        (b, folder) -> b.set(PUBLISH_SOCKET, folder.resolve("busy")),
                        "unix:FOLDER/busy",
                        "in use"));
        return Setting.transports().flatMap(s -> all.stream().map(r -> arguments(s, r)));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void isToldWhyAndWhatIsThereStays(Setting setting, Refused refused) throws IOException {
        Path notes = Files.writeString(folder.resolve("notes"), "keep me");
        RelayConfig config = refused.place().apply(builder(setting), folder).build();
        try (ServerSocketChannel busy = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            busy.bind(UnixDomainSocketAddress.of(folder.resolve("busy")));
            IOException told = catchThrowableOfType(IOException.class, () -> RelayServer.start(config));
            for (String words : refused.words()) {
                assertThat(told).hasMessageContaining(words.replace("FOLDER", folder.toString()));
            }
            assertThat(notes).hasContent("keep me");
            assertThat(folder.resolve("busy")).exists();
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
        try (TestRelay relay = TestRelay.start(
                        setting, b -> b.set(PUBLISH_SOCKET, publish).set(SUBSCRIBE_SOCKET, subscribe));
                PlainSubscriber subscriber = relay.subscriber()) {
            assertRelays(publish, subscriber);
        }
        assertThat(folder).isEmptyDirectory();
    }

    /** Another program's socket, in one step in the place of what is there. */
    private ServerSocketChannel put(Path place) throws IOException {
        Path fresh = folder.resolve("fresh");
        ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        other.bind(UnixDomainSocketAddress.of(fresh));
        Files.move(fresh, place, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        return other;
    }

    private static void assertTaken(ServerSocketChannel by, Path place) throws IOException {
        try (PlainPublisher client = PlainPublisher.connect(UnixDomainSocketAddress.of(place));
                SocketChannel accepted = by.accept()) {
            client.send(ByteBuffer.wrap(new byte[] {7}));
            assertThat(accepted.read(ByteBuffer.allocate(2))).isEqualTo(1);
        }
    }

    private static boolean canConnect(Path place) {
        try (PlainPublisher client = PlainPublisher.connect(UnixDomainSocketAddress.of(place))) {
            client.send(ByteBuffer.allocate(0));
            return true;
        } catch (IOException nobody) {
            return false;
        }
    }

    private static boolean permits(Path place, Set<PosixFilePermission> permissions) {
        try {
            return Files.getPosixFilePermissions(place).equals(permissions);
        } catch (IOException gone) {
            return false;
        }
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#transports")
    void aSocketWhoseFileIsRemovedIsBoundAgain(Setting setting) throws IOException {
        Path publish = folder.resolve("pub");
        Path subscribe = folder.resolve("sub");
        Set<PosixFilePermission> permissions = PosixFilePermissions.fromString("rw-rw-rw-");
        try (TestRelay relay = TestRelay.start(setting, b -> b.set(PUBLISH_SOCKET, publish)
                        .set(SUBSCRIBE_SOCKET, subscribe)
                        .set(SOCKET_MODE, "0666"));
                PlainSubscriber subscriber = PlainSubscriber.connect(UnixDomainSocketAddress.of(subscribe))) {
            relay.awaitSubscribers(1);
            Files.delete(publish);
            Files.delete(subscribe);
            Await.until("clients can connect again", () -> canConnect(publish) && canConnect(subscribe));
            // The mode is set a moment after the socket is made.
            Await.until("both have their mode", () -> permits(publish, permissions) && permits(subscribe, permissions));
            Await.until("both are told", () -> relay.relay().addresses().size() == 4);
            assertThat(relay.relay().ready()).isTrue();
            assertRelays(publish, subscriber);
        }
        assertThat(folder).isEmptyDirectory();
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#transports")
    void aSocketWhoseFolderIsRemoved(Setting setting) throws IOException {
        Path own = Files.createDirectory(folder.resolve("run"));
        Path publish = own.resolve("pub");
        try (TestRelay relay = TestRelay.start(setting, b -> b.set(PUBLISH_SOCKET, publish));
                AdminServer admin = AdminServer.start(relay.relay(), AdminConfig.parse("127.0.0.1:0", null));
                PlainSubscriber subscriber = relay.subscriber()) {
            Files.delete(publish);
            Files.delete(own);
            Await.until("it is not ready", () -> !relay.relay().ready());
            assertThat(Http.get(admin.address(), "/health/ready").is(503).body())
                    .contains("\"status\":\"unreachable\"");
            Files.createDirectory(own);
            Await.until("it is ready again", () -> relay.relay().ready());
            assertRelays(publish, subscriber);
            assertThat(Http.get(admin.address(), "/health/ready").status()).isEqualTo(200);
        }
        assertThat(own).isEmptyDirectory();
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#transports")
    void aSocketInWhosePlaceAnotherOneIs(Setting setting) throws IOException {
        Path publish = folder.resolve("pub");
        try (TestRelay relay = TestRelay.start(setting, b -> b.set(PUBLISH_SOCKET, publish));
                PlainSubscriber subscriber = relay.subscriber()) {
            try (ServerSocketChannel other = put(publish)) {
                Await.until("it is not ready", () -> !relay.relay().ready());
                assertTaken(other, publish);
            }
            Files.delete(publish);
            Await.until("it is ready again", () -> relay.relay().ready());
            assertRelays(publish, subscriber);
        }
        assertThat(folder).isEmptyDirectory();
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#transports")
    void aSocketThatIsAnotherOnesByNowIsLeftAlone(Setting setting) throws IOException {
        Path publish = folder.resolve("pub");
        RelayServer relay =
                RelayServer.start(builder(setting).set(PUBLISH_SOCKET, publish).build());
        try (ServerSocketChannel other = put(publish)) {
            relay.close();
            assertTaken(other, publish);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#transports")
    void withoutTcpAtAll(Setting setting) throws IOException {
        RelayConfig config = builder(setting)
                .set(PUBLISH_PORT, ListenConfig.OFF)
                .set(SUBSCRIBE_PORT, ListenConfig.OFF)
                .set(PUBLISH_SOCKET, folder.resolve("pub"))
                .set(SUBSCRIBE_SOCKET, folder.resolve("sub"))
                .build();
        try (RelayServer relay = RelayServer.start(config)) {
            assertThat(relay.publishAddress()).isNull();
            assertThat(relay.subscribeAddress()).isNull();
            assertThat(relay.addresses()).hasSize(2);
        }
        assertThat(folder).isEmptyDirectory();
    }

    private static void assertRelays(Path publish, PlainSubscriber subscriber) throws IOException {
        try (PlainPublisher publisher = PlainPublisher.connect(UnixDomainSocketAddress.of(publish))) {
            publisher.send(new Frames().frame(Frames.type(0, 0), 10));
            subscriber.awaitMessages(1).received().assertAllOf(1);
        }
    }

    private static RelayConfig.Builder builder(Setting setting) {
        return RelayConfig.builder(0, 0).set(LOG_SIZE, 8 << 20).set(TRANSPORT, setting.transport());
    }
}
