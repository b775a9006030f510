package dev.msgrelay.server.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.server.admin.AdminServer;
import dev.msgrelay.server.config.AdminConfig;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Certificates;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Neighbours;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Connections that end before their first byte, as load balancers make them: no failure of anything. */
class ProbesTest {
    private static final int EACH = 20;

    private static void probe(SocketAddress port, boolean reset) throws Exception {
        try (PlainPublisher probe = PlainPublisher.connect(port)) {
            if (reset) {
                probe.reset();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#transports")
    void onEachPort(Setting setting) throws Exception {
        try (SecuredRelay tls = SecuredRelay.start(setting, TlsProvider.AUTO, Certificates::relayFiles, b -> b);
                AdminServer admin =
                        AdminServer.start(tls.relay.relay(), AdminConfig.parse("https://127.0.0.1:0", null));
                Neighbours neighbours = new Neighbours(tls.relay)) {
            TestRelay relay = tls.relay;
            List<SocketAddress> ports = List.of(relay.publish(), relay.subscribe(), tls.publish(), tls.subscribe());
            for (SocketAddress port : ports) {
                for (int i = 0; i < EACH; i++) {
                    probe(port, true);
                    probe(port, false);
                    probe(admin.address(), i % 2 == 0);
                }
            }
            long probes = 2L * EACH * ports.size();
            Await.until(
                    () -> "all are counted: " + relay.stats(),
                    () -> relay.stats().get(Counter.PROBES) == probes);
            assertThat(relay.stats().closes()).isEqualTo(Map.of(CloseReason.PEER_CLOSED, probes));
            assertThat(relay.stats().ended()).as("no client has left").isEmpty();
            assertThat(relay.stats().get(Counter.TLS_FAILURES)).isZero();
            assertThat(relay.stats().get(Counter.ADMIN_REFUSED)).isZero();
            neighbours.assertUnaffected();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#transports")
    void aResetWithinAFrame(Setting setting) throws Exception {
        try (SecuredRelay tls = SecuredRelay.start(setting, TlsProvider.AUTO, Certificates::relayFiles, b -> b)) {
            TestRelay relay = tls.relay;
            byte[] hello = HelloFrame.subscriber().build().encode().array();
            int lost = 0;
            for (SocketAddress port : List.of(relay.publish(), relay.subscribe())) {
                byte[] bytes = port.equals(relay.publish())
                        ? new Frames().frame(7, 100).bytes()
                        : hello;
                for (int length : new int[] {1, 7, 9}) {
                    cut(relay, port, bytes, length);
                    relay.awaitClosed(CloseReason.CONNECTION_LOST, ++lost);
                }
            }
            byte[] handshake = {22, 3, 1, 2, 0, 1};
            for (InetSocketAddress port : List.of(tls.publish(), tls.subscribe())) {
                long before = relay.closed(CloseReason.TLS_FAILED);
                cut(relay, port, handshake, 6);
                relay.awaitClosed(CloseReason.TLS_FAILED, before + 1);
            }
            assertThat(relay.stats().get(Counter.PROBES)).isZero();
        }
    }

    private static void cut(TestRelay relay, SocketAddress port, byte[] bytes, int length) throws Exception {
        try (PlainPublisher client = PlainPublisher.connect(port)) {
            client.send(ByteBuffer.wrap(bytes, 0, length));
            client.reset();
        }
    }
}
