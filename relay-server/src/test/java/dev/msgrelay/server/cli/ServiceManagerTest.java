package dev.msgrelay.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.HungCore;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.testing.ConcurrentTest;
import dev.msgrelay.testing.ShortFolders;
import dev.msgrelay.testing.ThisMachine;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainDatagramPacket;
import io.netty.channel.unix.DomainSocketAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.provider.ValueSource;

/** What a service manager hears. */
class ServiceManagerTest {
    private static final String SIGN = "WATCHDOG=1";

    @TempDir(factory = ShortFolders.class)
    private Path directory;

    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

    private MultiThreadIoEventLoopGroup loop;
    private Channel channel;

    @AfterEach
    void end() {
        if (loop != null) {
            loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        }
    }

    @ConcurrentTest.Parameterized
    @ValueSource(booleans = {false, true})
    void readyAndStopping(boolean isAbstract) throws Exception {
        ThisMachine.need(Epoll.isAvailable(), "no epoll here");
        String path = directory.resolve("notify").toString();
        listen(isAbstract ? '\0' + path : path);
        try (CommandProcess command = CommandProcess.with(Map.of("NOTIFY_SOCKET", isAbstract ? '@' + path : path))) {
            assertThat(heard.poll(Await.LIMIT_SECONDS, TimeUnit.SECONDS))
                    .as(command.errors()::toString)
                    .isEqualTo("READY=1");
            command.line(line -> line.contains("relay-server: publishers"));
            assertThat(command.terminate()).isZero();
            assertThat(heard.poll(Await.LIMIT_SECONDS, TimeUnit.SECONDS))
                    .as(command.errors()::toString)
                    .isEqualTo("STOPPING=1");
            assertThat(heard).isEmpty();
        }
    }

    @ConcurrentTest
    void oneThatIsNotThereIsNamedAndNotNeeded() throws Exception {
        ThisMachine.need(Epoll.isAvailable(), "no epoll here");
        String path = directory.resolve("nobody").toString();
        // The tests' own settings leave warnings out.
        Map<String, String> environment =
                Map.of("NOTIFY_SOCKET", path, "JAVA_TOOL_OPTIONS", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
        try (CommandProcess command = CommandProcess.with(environment, "--progress=1s")) {
            command.line(line -> line.contains("msg/s"));
            assertThat(command.terminate()).isZero();
            assertThat(command.errors())
                    .anyMatch(line -> line.contains("NOTIFY_SOCKET=" + path + ": READY=1 is not told"));
        }
    }

    /** A period with which half a second has hundreds of signs. */
    private Map<String, String> watched(String... more) throws Exception {
        ThisMachine.need(Epoll.isAvailable(), "no epoll here");
        String path = directory.resolve("notify").toString();
        listen(path);
        Map<String, String> environment = new HashMap<>(Map.of(
                "NOTIFY_SOCKET",
                path,
                "WATCHDOG_USEC",
                "4000",
                "JAVA_TOOL_OPTIONS",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"));
        for (String variable : more) {
            environment.put(variable.replaceFirst("=.*", ""), variable.replaceFirst(".*=", ""));
        }
        return environment;
    }

    /** Waits until this is heard; returns what was heard before. */
    private Set<String> until(String wanted, CommandProcess command) throws InterruptedException {
        Set<String> before = new HashSet<>();
        while (true) {
            String next = heard.poll(Await.LIMIT_SECONDS, TimeUnit.SECONDS);
            assertThat(next)
                    .as(() -> wanted + " after " + before + ": " + command.errors())
                    .isNotNull();
            if (next.equals(wanted)) {
                return before;
            }
            before.add(next);
        }
    }

    /** A relay that waits for its cluster, or for the look through its journal, until its standard input ends. */
    static final class SlowStart {
        public static void main(String[] args) {
            RelayServerMain.run(
                    (config, recovery) -> {
                        System.in.readAllBytes();
                        return RelayServer.start(config, recovery);
                    },
                    args);
        }
    }

    /** A relay whose core hangs once its standard input ends. */
    static final class Hanging {
        public static void main(String[] args) {
            RelayServerMain.run(
                    (config, recovery) -> {
                        RelayServer relay = RelayServer.start(config, recovery);
                        new Thread(() -> {
                                    try {
                                        System.in.readAllBytes();
                                        HungCore.hang(relay);
                                    } catch (IOException e) {
                                        throw new UncheckedIOException(e);
                                    }
                                })
                                .start();
                        return relay;
                    },
                    args);
        }
    }

    @ConcurrentTest
    void signsOfLifeFromTheStartToTheEnd() throws Exception {
        try (CommandProcess command =
                CommandProcess.of(SlowStart.class, watched(), "--drain-timeout=100s", "--progress=1s")) {
            assertThat(until(SIGN, command)).as("while it is being started").isEmpty();
            command.writeInput("");
            assertThat(until("READY=1", command)).containsOnly(SIGN);
            until(SIGN, command);
            try (Socket slow = new Socket();
                    Socket publisher = new Socket()) {
                slow.setReceiveBufferSize(4_096);
                slow.connect(command.subscribers());
                command.line(line -> line.contains(" sub 1 "));
                publisher.connect(command.publishers());
                ByteBuffer message =
                        ByteBuffer.allocate(8 + 1_000_000).putInt(1).putInt(1_000_000);
                // More than the system takes for a socket that nobody reads, and less than the log has.
                for (int i = 0; i < 7; i++) {
                    publisher.getOutputStream().write(message.array());
                }
                publisher.shutdownOutput();
                assertThat(publisher.getInputStream().read())
                        .as("it has read all")
                        .isEqualTo(-1);
                command.signal("TERM");
                until("STOPPING=1", command);
                command.line(line -> line.contains(" draining: "));
                heard.clear();
                until(SIGN, command);
                until(SIGN, command);
            }
            assertThat(command.awaitExit()).isZero();
        }
    }

    /** What hears nothing ends the process, and starts it anew. */
    @ConcurrentTest
    void aHungRelayGivesNone() throws Exception {
        try (CommandProcess command = CommandProcess.of(Hanging.class, watched(), "--progress=1s")) {
            until("READY=1", command);
            until(SIGN, command);
            command.writeInput("");
            command.error(0, line -> line.contains("the relay does not work: WATCHDOG=1 is not sent"));
            int lines = command.lines().size();
            // Behind all that was sent before.
            say("told");
            until("told", command);
            command.line(lines + 1, line -> line.contains("msg/s"));
            command.signal("TERM");
            assertThat(until("STOPPING=1", command)).isEmpty();
        }
    }

    @ConcurrentTest.Parameterized
    @ValueSource(strings = {"WATCHDOG_PID=1", "WATCHDOG_USEC=", "WATCHDOG_USEC=0", "WATCHDOG_USEC=often"})
    void whoIsNotWatchedGivesNone(String variable) throws Exception {
        try (CommandProcess command = CommandProcess.with(watched(variable), "--progress=1s")) {
            until("READY=1", command);
            command.line(line -> line.contains("msg/s"));
            assertThat(command.terminate()).isZero();
            // Behind all that was sent before. A relay that ends waits for a second only until it has told that.
            say("told");
            assertThat(until("told", command)).isSubsetOf("STOPPING=1");
            assertThat(command.errors())
                    .filteredOn(line -> line.contains("WATCHDOG_USEC=often is no number of microseconds"))
                    .hasSize(variable.endsWith("often") ? 1 : 0);
        }
    }

    /** As systemd does: the number of the process that it has started. */
    @ConcurrentTest
    void whoIsWatchedByItsNumberGivesSigns() throws Exception {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "WATCHDOG_PID=$$ exec \"$@\"", "sh"));
        command.addAll(CommandProcess.command());
        try (CommandProcess relay = CommandProcess.started(command, watched())) {
            until("READY=1", relay);
            until(SIGN, relay);
        }
    }

    private void say(String text) {
        channel.writeAndFlush(new DomainDatagramPacket(
                        Unpooled.copiedBuffer(text, StandardCharsets.UTF_8),
                        new DomainSocketAddress(directory.resolve("notify").toString())))
                .syncUninterruptibly();
    }

    private void listen(String path) throws InterruptedException {
        loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        channel = new Bootstrap()
                .group(loop)
                .channel(EpollDomainDatagramChannel.class)
                .handler(new SimpleChannelInboundHandler<DomainDatagramPacket>() {
                    @Override
                    protected void channelRead0(ChannelHandlerContext context, DomainDatagramPacket packet) {
                        heard.add(packet.content().toString(StandardCharsets.UTF_8));
                    }
                })
                .bind(new DomainSocketAddress(path))
                .sync()
                .channel();
    }
}
