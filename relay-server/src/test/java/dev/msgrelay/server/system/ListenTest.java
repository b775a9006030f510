package dev.msgrelay.server.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

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
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
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
                        (b, folder) -> b.host("no-such-host.invalid"),
                        "no-such-host.invalid",
                        "unknown host"),
                new Refused(
                        "a path that is no socket",
                        (b, folder) -> b.publishSocket(folder.resolve("notes")),
                        "unix:FOLDER/notes",
                        "not a socket"),
                new Refused(
                        "a folder that does not exist",
                        (b, folder) -> b.publishSocket(folder.resolve("none/pub")),
                        "no such folder: FOLDER/none"),
                // Not even from the superuser.
                new Refused(
                        "a folder that takes none",
                        (b, folder) -> b.publishSocket(Path.of("/proc/self/relay-test")),
                        "cannot listen on unix:/proc/self/relay-test: "),
                new Refused(
                        "a socket that somebody answers on",
                        (b, folder) -> b.publishSocket(folder.resolve("busy")),
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
        try (TestRelay relay =
                        TestRelay.start(setting, b -> b.publishSocket(publish).subscribeSocket(subscribe));
                PlainSubscriber subscriber = relay.subscriber()) {
            assertRelays(publish, subscriber);
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
            assertRelays(publish, subscriber);
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

    private static void assertRelays(Path publish, PlainSubscriber subscriber) throws IOException {
        try (PlainPublisher publisher = PlainPublisher.connect(UnixDomainSocketAddress.of(publish))) {
            publisher.send(new Frames().frame(Frames.type(0, 0), 10));
            subscriber.awaitMessages(1).received().assertAllOf(1);
        }
    }

    private static RelayConfig.Builder builder(Setting setting) {
        return RelayConfig.builder()
                .publishPort(0)
                .subscribePort(0)
                .logSize(8 << 20)
                .transport(setting.transport());
    }
}
