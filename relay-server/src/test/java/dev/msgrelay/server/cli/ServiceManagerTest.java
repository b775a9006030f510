package dev.msgrelay.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.Await;
import dev.msgrelay.testing.ShortFolders;
import dev.msgrelay.testing.ThisMachine;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainDatagramPacket;
import io.netty.channel.unix.DomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a service manager hears. */
class ServiceManagerTest {
    @TempDir(factory = ShortFolders.class)
    private Path directory;

    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

    private MultiThreadIoEventLoopGroup loop;

    @AfterEach
    void end() {
        if (loop != null) {
            loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
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

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void oneThatIsNotThereIsNamedAndNotNeeded() throws Exception {
        ThisMachine.need(Epoll.isAvailable(), "no epoll here");
        String path = directory.resolve("nobody").toString();
        // The tests' own settings leave warnings out.
        Map<String, String> environment =
                Map.of("NOTIFY_SOCKET", path, "JAVA_TOOL_OPTIONS", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
        try (CommandProcess command = CommandProcess.with(environment)) {
            command.line(line -> line.contains("msg/s"));
            assertThat(command.terminate()).isZero();
            assertThat(command.errors())
                    .anyMatch(line -> line.contains("NOTIFY_SOCKET=" + path + ": READY=1 is not told"));
        }
    }

    private void listen(String path) throws InterruptedException {
        loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        new Bootstrap()
                .group(loop)
                .channel(EpollDomainDatagramChannel.class)
                .handler(new SimpleChannelInboundHandler<DomainDatagramPacket>() {
                    @Override
                    protected void channelRead0(ChannelHandlerContext context, DomainDatagramPacket packet) {
                        heard.add(packet.content().toString(StandardCharsets.UTF_8));
                    }
                })
                .bind(new DomainSocketAddress(path))
                .sync();
    }
}
