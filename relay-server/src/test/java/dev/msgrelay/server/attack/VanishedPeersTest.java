package dev.msgrelay.server.attack;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.Namespace;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.net.Transport;
import dev.msgrelay.testing.ThisMachine;
import java.io.BufferedReader;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Peers whose link goes down, and who never say so. In a network namespace of this test's own; as root only. */
@Tag("thorough")
class VanishedPeersTest {
    private static final int OF_EACH_KIND = 25;

    @Test
    void areGoneWithinTheIdleTimeout() throws Exception {
        try (Namespace namespace = new Namespace()) {
            ThisMachine.need(namespace.up(), namespace.why());
            try (TestRelay relay = TestRelay.start(
                            new Setting(Transport.AUTO, false, RelayConfig.AUTO_EVENT_LOOPS),
                            b -> b.set(BIND, namespace.host())
                                    .set(INSECURE, true)
                                    .set(HEARTBEAT, Duration.ofMillis(500))
                                    .set(IDLE_TIMEOUT, Duration.ofSeconds(2))
                                    .set(PEER_TIMEOUT, Duration.ofSeconds(4)));
                    HealthyPair pair = Attack.pair(relay)) {
                Process peers = namespace.run(
                        VanishingPeers.class,
                        namespace.host(),
                        "" + relay.relay().publishAddress().getPort(),
                        "" + relay.relay().subscribeAddress().getPort(),
                        "" + OF_EACH_KIND);
                try (BufferedReader lines = peers.inputReader(StandardCharsets.UTF_8)) {
                    assertThat(lines.readLine()).isEqualTo("ready");
                    relay.awaitPublishers(2 * OF_EACH_KIND + 2);
                    relay.awaitSubscribers(2 * OF_EACH_KIND + 1);
                    pair.begin();
                    assertThat(namespace.down()).as(namespace::why).isTrue();
                    Await.until(
                            () -> "all are given up: " + relay.stats(),
                            () -> relay.stats().publishers() == 2
                                    && relay.stats().subscribers() == 1);
                    pair.end("100 peers that vanished");
                    pair.finish();
                } finally {
                    peers.destroyForcibly();
                }
            }
        }
    }

    /**
     * A process of peers in a network namespace: it connects, says "ready", reads nothing, and waits for its input to
     * end.
     */
    static final class VanishingPeers {
        /** @param args host, publish port, subscribe port, connections of each kind */
        public static void main(String[] args) throws Exception {
            InetSocketAddress publish = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
            InetSocketAddress subscribe = new InetSocketAddress(args[0], Integer.parseInt(args[2]));
            byte[] subscriber =
                    HelloFrame.subscriber().name("vanishing").build().encode().array();
            List<SocketChannel> held = new ArrayList<>();
            for (int i = 0; i < Integer.parseInt(args[3]); i++) {
                int publisher = HealthyPair.FIRST_OTHER + 2 * i;
                held.add(connect(publish, frame(publisher)));
                held.add(connect(
                        publish,
                        new Frames()
                                .raw(Hello.acks("vanishing " + i, 0).bytes())
                                .raw(frame(publisher + 1))
                                .bytes()));
                held.add(connect(subscribe, new byte[0]));
                held.add(connect(subscribe, subscriber));
            }
            System.out.println("ready");
            System.exit(System.in.read() + held.size());
        }

        private static byte[] frame(int publisher) {
            return new Frames().frame(Frames.type(publisher, 0), 100).bytes();
        }

        private static SocketChannel connect(InetSocketAddress to, byte[] first) throws Exception {
            SocketChannel channel = PlainPublisher.open(to, 16 << 10);
            channel.write(ByteBuffer.wrap(first));
            return channel;
        }
    }
}
