package dev.msgrelay.server;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.server.assembly.ClusterProvider;
import dev.msgrelay.server.assembly.EngineAssembly;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.config.RelayOption;
import dev.msgrelay.server.connection.EngineLoop;
import dev.msgrelay.server.connection.RelayIdentity;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Certificates;
import dev.msgrelay.server.harness.ScarceAllocator;
import dev.msgrelay.server.journal.disk.FileDisk;
import dev.msgrelay.server.journal.format.EpochTable;
import dev.msgrelay.server.journal.recover.RecoveryProgress;
import dev.msgrelay.server.net.Transport;
import dev.msgrelay.server.stream.Orderer;
import dev.msgrelay.server.tls.TlsContext;
import dev.msgrelay.server.tls.TlsProvider;
import io.netty.util.concurrent.Ticker;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Starts that fail, wherever that is: nothing is left of them. */
class StartFailsTest {
    private static final int MAX_BODY = 1000;
    private static final String PROVIDER = "META-INF/services/" + ClusterProvider.class.getName();

    @TempDir
    private Path folder;

    private final ClassLoader before = Thread.currentThread().getContextClassLoader();
    private long memoryBefore;

    /** How a node of a cluster behaves that takes part in a start. */
    private static final class Node {
        private Throwable onFeed;
        private RuntimeException onClose;
        private int closed;

        Orderer orderer() {
            return (Orderer) Proxy.newProxyInstance(
                    Orderer.class.getClassLoader(), new Class<?>[] {Orderer.class}, (proxy, method, args) -> {
                        switch (method.getName()) {
                            case "lives" -> {
                                return new EpochTable(List.of(new EpochTable.Epoch(7, 0, 1, 0)), 0, 1);
                            }
                            case "setStream" -> {
                                if (onFeed != null) {
                                    throw onFeed;
                                }
                            }
                            case "close" -> {
                                closed++;
                                if (onClose != null) {
                                    throw onClose;
                                }
                            }
                            case "hasRoom", "isEmpty" -> {
                                return true;
                            }
                            case "drain", "hasOrdered" -> {
                                return false;
                            }
                            default -> throw new UnsupportedOperationException(method.getName());
                        }
                        return null;
                    });
        }
    }

    private static Node node;

    /** Found through {@link #PROVIDER} by the thread of the test alone. */
    public static final class Provider implements ClusterProvider {
        @Override
        public Orderer join(RelayConfig config) {
            return node.orderer();
        }

        @Override
        public List<String> check(RelayConfig config) {
            return List.of();
        }

        @Override
        public void abandon() {}
    }

    /** The library of TLS takes memory once, and keeps it. */
    @BeforeAll
    static void loadTls() throws Exception {
        try (Certificates certificates = new Certificates()) {
            TlsContext.check(certificates.relayFiles(), TlsProvider.AUTO);
        }
    }

    @BeforeEach
    void findProvider() throws IOException {
        node = new Node();
        Path services = Files.writeString(folder.resolve("services"), Provider.class.getName());
        URL url = services.toUri().toURL();
        Thread.currentThread().setContextClassLoader(new ClassLoader(before) {
            @Override
            public Enumeration<URL> getResources(String name) throws IOException {
                return name.equals(PROVIDER) ? Collections.enumeration(List.of(url)) : super.getResources(name);
            }
        });
        memoryBefore = PlatformDependent.usedDirectMemory();
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        Thread.currentThread().setContextClassLoader(before);
        assertThat(PlatformDependent.usedDirectMemory()).isEqualTo(memoryBefore);
        Await.until("no thread is left", () -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(
                        t -> t.getName().startsWith("relay-loop") || t.getName().startsWith("relay-journal")));
        if (Files.exists(journal())) {
            new FileDisk(journal()).lock(true).close();
        }
    }

    private Path journal() {
        return folder.resolve("journal");
    }

    private RelayConfig.Builder config() {
        return RelayConfig.builder()
                .set(TRANSPORT, Transport.NIO)
                .set(PUBLISH_PORT, 0)
                .set(SUBSCRIBE_PORT, 0)
                .set(EVENT_LOOPS, 2)
                .set(JOURNAL, journal())
                .cluster(folder.resolve("services"), 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theEngineCannotBeMade(boolean error) throws Exception {
        node.onFeed = error ? new NoClassDefFoundError("made by a test") : new IllegalStateException("made by a test");
        try (Certificates certificates = new Certificates()) {
            RelayConfig config = config().set(TLS_FILES, certificates.relayFiles())
                    .set(TLS_PUBLISH_PORT, 0)
                    .build();
            assertThatThrownBy(() -> RelayServer.start(config)).isSameAs(node.onFeed);
        }
        assertThat(node.closed).isOne();
    }

    /** The first failure is told, and what comes behind it is given back all the same. */
    @Test
    void whatWasTakenCannotBeGivenBack() throws Exception {
        node.onFeed = new IllegalStateException("made by a test");
        node.onClose = new IllegalStateException("made by a test, too");
        assertThatThrownBy(() -> RelayServer.start(config().build())).isSameAs(node.onFeed);
        assertThat(node.closed).isOne();
    }

    @Test
    void theJournalCannotBeLookedThrough() throws Exception {
        try (RelayServer alone = RelayServer.start(config().cluster(null, 0).build());
                LocalPublisher publisher = alone.newLocalPublisher()) {
            assertThat(publisher.publish(1, ByteBuffer.allocate(1))).isEqualTo(PublishOutcome.ACCEPTED);
        }
        Error made = new StackOverflowError("made by a test");
        RecoveryProgress progress = (looked, of) -> {
            throw made;
        };
        assertThatThrownBy(() -> RelayServer.start(config().build(), progress)).isSameAs(made);
        assertThat(node.closed).isOne();
    }

    @Test
    void anAddressIsInUse() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            RelayConfig config =
                    config().set(SUBSCRIBE_PORT, other.getLocalPort()).build();
            assertThatThrownBy(() -> RelayServer.start(config))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("cannot listen on");
        }
        assertThat(node.closed).isOne();
    }

    /** Nor is anything left of a relay that had started, where something of it cannot be closed. */
    @Test
    void theNodeCannotBeClosedAtTheEnd() throws Exception {
        node.onClose = new IllegalStateException("made by a test");
        RelayServer.start(config().build()).close();
        assertThat(node.closed).isOne();
    }

    /** Whichever piece of memory there is none for, those before it are given back. */
    @Test
    void theMemoryForTheEngineRunsOut() {
        RelayConfig config = RelayConfig.builder()
                .set(RING_SIZE, 1 << 20)
                .set(LOG_SIZE, 3 << 20)
                .set(RelayOption.MAX_BODY, MAX_BODY)
                .set(EVENT_LOOPS, 3)
                .set(READER_LOOPS, 2)
                .build();
        ScarceAllocator allocator = new ScarceAllocator();
        int failures = 0;
        for (boolean made = false; !made; ) {
            EngineLoop[] loops = new EngineLoop[5];
            for (int i = 0; i < loops.length; i++) {
                loops[i] = new EngineLoop("never started", Transport.NIO.ioHandler());
            }
            allocator.failAfter(failures);
            try {
                new EngineAssembly(
                                config,
                                allocator,
                                Ticker.systemTicker(),
                                7,
                                new RelayIdentity("relay", MAX_BODY),
                                failure -> {},
                                Arrays.copyOf(loops, 3))
                        .readers(Arrays.copyOfRange(loops, 3, 5))
                        .build()
                        .release();
                made = true;
            } catch (OutOfMemoryError e) {
                failures++;
            }
            assertThat(allocator.usedDirectMemory())
                    .as("after %d pieces", failures)
                    .isZero();
            for (EngineLoop loop : loops) {
                loop.discard();
            }
        }
        assertThat(failures).isGreaterThan(10);
    }
}
