package dev.msgrelay.server.assembly;

import static dev.msgrelay.server.config.RelayOption.MAX_CONNECTIONS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.Sessions;
import dev.msgrelay.server.access.Network;
import dev.msgrelay.server.config.ProxyConfig;
import dev.msgrelay.server.connection.Admission;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.net.Listener;
import dev.msgrelay.server.net.Transport;
import dev.msgrelay.server.subscribe.FanoutParts;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlaceGivenBackTest {
    private static final ProxyConfig PROXIES =
            new ProxyConfig(ProxyConfig.Mode.REQUIRED, List.of(Network.parse("127.0.0.0/8")));

    /** No listener of the close hears of such a channel, which its acceptor closes before it is on a loop. */
    @ParameterizedTest(name = "behind proxies: {0}")
    @ValueSource(booleans = {false, true})
    void aConnectionThatGetsNoLoopGivesItsPlaceBackOnce(boolean proxied) throws Exception {
        MultiThreadIoEventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        NioServerSocketChannel port = new NioServerSocketChannel();
        try (TestRelay relay = TestRelay.start(new Setting(Transport.NIO, true, 1), b -> b.set(MAX_CONNECTIONS, 2))) {
            ChannelSetup setup = withoutSeats(Sessions.get(Sessions.get(relay.relay(), "engine"), "setup"));
            Listener.bind(
                    port, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), loop.next(), accepted -> (proxied
                                    ? setup.placeProxied(accepted, Role.SUBSCRIBER, Optional.empty(), PROXIES)
                                    : setup.place(accepted, Role.SUBSCRIBER, Optional.empty()))
                            .io());
            try (PlainPublisher client = PlainPublisher.connect(port.localAddress())) {
                client.awaitEnd();
            }
            Admission admission = setup.services().admission();
            assertThat(admission.admitUnnamed(false, 0).refusal()).isNull();
            assertThat(admission.admitUnnamed(false, 0).refusal()).isNull();
            assertThat(admission.admitUnnamed(false, 0).refusal()).isNotNull();
        } finally {
            loop.shutdownGracefully(0, Await.LIMIT_SECONDS, TimeUnit.SECONDS)
                    .await(Await.LIMIT_SECONDS, TimeUnit.SECONDS);
        }
    }

    private static ChannelSetup withoutSeats(ChannelSetup setup) {
        FanoutParts parts = setup.subscribing();
        FanoutParts seatless = new FanoutParts(
                parts.log(),
                parts.durable(),
                parts.logBytes(),
                parts.gate(),
                parts.stallNanos(),
                parts.replays(),
                parts.state(),
                parts.conflateBytes(),
                () -> {
                    throw new IllegalStateException("of a test");
                },
                parts.elsewhere());
        return new ChannelSetup(
                setup.services(),
                setup.allocator(),
                setup.publishing(),
                seatless,
                setup.coreInlet(),
                setup.core(),
                setup.refused());
    }
}
