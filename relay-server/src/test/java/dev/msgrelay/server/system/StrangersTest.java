package dev.msgrelay.server.system;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.Neighbours;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.Strange;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.testing.ConcurrentTest;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Proxies and clients of other protocols at the relay's ports: told what they are, in whatever pieces their bytes come.
 */
class StrangersTest {
    private static final byte[] PUBLISHED = new Frames().frame(7, 100).bytes();
    private static final byte[] HELLO =
            HelloFrame.subscriber().name("behind").build().encode().array();
    private static final String PROXY_2 = "the PROXY protocol, version 2";
    private static final String PROXY_1 = "the PROXY protocol, version 1";

    /** Sends the bytes in pieces, and says what came back. */
    private static PlainPublisher.Error told(SocketAddress port, byte[] bytes, int piece) throws Exception {
        try (PlainPublisher client = PlainPublisher.connect(port)) {
            // What tells comes in pieces, and the rest at once: the relay may have refused it by then.
            for (int at = 0; at < Strange.SIGNATURE.length; at += piece) {
                client.send(ByteBuffer.wrap(bytes, at, Math.min(piece, Strange.SIGNATURE.length - at)));
            }
            return client.awaitError();
        }
    }

    private static void assertTold(PlainPublisher.Error error, CloseReason reason, String... words) {
        assertThat(error.text()).contains(words);
        assertThat(error.code()).isEqualTo(reason.code());
    }

    @ConcurrentTest.Parameterized
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void aProxysHeader(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting);
                Neighbours neighbours = new Neighbours(relay)) {
            int refused = 0;
            for (SocketAddress port : new SocketAddress[] {relay.publish(), relay.subscribe()}) {
                byte[] client = port.equals(relay.publish()) ? PUBLISHED : HELLO;
                for (int piece : new int[] {12, 8, 5, 1}) {
                    assertTold(told(port, Strange.proxied(client), piece), CloseReason.UNSUPPORTED, PROXY_2);
                    assertTold(told(port, Strange.proxiedByLine(client), piece), CloseReason.UNSUPPORTED, PROXY_1);
                    refused += 2;
                }
            }
            assertThat(relay.stats().closes()).isEqualTo(Map.of(CloseReason.UNSUPPORTED, (long) refused));
            neighbours.assertUnaffected();
        }
    }

    /** A relay whose bodies are shorter than the one that the signature announces. */
    @ConcurrentTest.Parameterized
    @MethodSource("dev.msgrelay.server.harness.Setting#transports")
    void aProxysHeaderThatIsOverTheLimit(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting, b -> b.set(MAX_BODY, 1000))) {
            for (int piece : new int[] {12, 8, 5, 1}) {
                assertTold(told(relay.publish(), Strange.proxied(), piece), CloseReason.UNSUPPORTED, PROXY_2);
            }
        }
    }

    @ConcurrentTest.Parameterized
    @MethodSource("dev.msgrelay.server.harness.Setting#transports")
    void otherProtocols(Setting setting) throws Exception {
        Map<String, byte[]> strangers = Map.of(
                "SSH", Strange.ascii("SSH-2.0-OpenSSH_9.6\r\n"),
                "Redis (RESP)", Strange.ascii("*1\r\n$4\r\nPING\r\n"),
                "MQTT", Strange.mqttConnect());
        try (TestRelay relay = TestRelay.start(setting)) {
            for (int piece : new int[] {12, 1}) {
                for (Map.Entry<String, byte[]> each : strangers.entrySet()) {
                    assertTold(
                            told(relay.publish(), each.getValue(), piece),
                            CloseReason.OVERSIZED_LENGTH,
                            "is over the limit of 1048576 bytes; it begins as " + each.getKey());
                    assertTold(
                            told(relay.subscribe(), each.getValue(), piece),
                            CloseReason.UNEXPECTED_INPUT,
                            "byte 0 from a subscriber",
                            "begins as " + each.getKey());
                }
                for (SocketAddress port : new SocketAddress[] {relay.publish(), relay.subscribe()}) {
                    for (String verb : new String[] {"GET", "PUT", "DELETE", "HEAD"}) {
                        byte[] request = Strange.ascii(verb + " / HTTP/1.1\r\nHost: relay\r\n\r\n");
                        assertTold(told(port, request, piece), CloseReason.UNEXPECTED_INPUT, "HTTP", "--admin");
                    }
                    for (int length : new int[] {512, 1790}) {
                        PlainPublisher.Error error = told(port, Strange.clientHello(length), piece);
                        assertTold(error, CloseReason.TLS_FAILED, "speaks TLS");
                    }
                }
            }
        }
    }

    @ConcurrentTest.Parameterized
    @MethodSource("dev.msgrelay.server.harness.Setting#transports")
    void messagesThatBeginLikeAProxysHeader(Setting setting) throws Exception {
        byte[] whole = new byte[8 + Strange.BODY];
        System.arraycopy(Strange.SIGNATURE, 0, whole, 0, Strange.SIGNATURE.length);
        byte[] almost = whole.clone();
        almost[11]++;
        byte[] shorter = new Frames().frame(Strange.TYPE, 100).bytes();
        try (TestRelay relay = TestRelay.start(setting)) {
            byte[][] sent = {
                almost,
                shorter,
                new Frames().raw(Hello.plain().bytes()).raw(whole).bytes(),
                new Frames().raw(PUBLISHED).raw(whole).bytes()
            };
            for (int i = 0; i < sent.length; i++) {
                try (PlainPublisher publisher = relay.publisher()) {
                    for (int at = 0; at < 20; at++) {
                        publisher.send(ByteBuffer.wrap(sent[i], at, 1));
                    }
                    publisher.send(ByteBuffer.wrap(sent[i], 20, sent[i].length - 20));
                    // The last one sends two.
                    relay.awaitMessagesIn(i + 1 + i / 3);
                }
            }
            assertThat(relay.stats().closes()).doesNotContainKey(CloseReason.UNSUPPORTED);
        }
    }

    @ConcurrentTest
    void aPartOfASignature() throws Exception {
        try (TestRelay relay = TestRelay.start(Setting.NIO_TCP, b -> b.set(HANDSHAKE_TIMEOUT, Duration.ofMillis(300))
                .set(FRAME_TIMEOUT, Duration.ofMillis(2000)))) {
            for (int length : new int[] {1, 4, 8, 11}) {
                byte[] part = Arrays.copyOf(Strange.SIGNATURE, length);
                try (PlainPublisher subscriber = PlainPublisher.connect(relay.subscribe())) {
                    assertTold(
                            subscriber.send(ByteBuffer.wrap(part)).awaitError(),
                            CloseReason.HANDSHAKE_TIMEOUT,
                            "not complete within 300 ms");
                }
                try (PlainPublisher publisher = relay.publisher()) {
                    assertTold(
                            publisher.send(ByteBuffer.wrap(part)).awaitError(),
                            CloseReason.FRAME_TIMEOUT,
                            length + " of ");
                }
            }
            // A stray byte that begins no signature waits for nothing.
            try (PlainPublisher subscriber = PlainPublisher.connect(relay.subscribe())) {
                byte[] stray = {'\r', '\n', '\n'};
                assertTold(subscriber.send(ByteBuffer.wrap(stray)).awaitError(), CloseReason.UNEXPECTED_INPUT, "0x0D");
            }
        }
    }

    @ConcurrentTest
    void theStreamOfOthersGoesOn() throws Exception {
        try (TestRelay relay = TestRelay.start(Setting.NIO_TCP);
                PlainSubscriber healthy = relay.subscriber();
                PlainPublisher half = relay.publisher();
                PlainPublisher publisher = relay.publisher()) {
            half.send(ByteBuffer.wrap(Strange.SIGNATURE, 0, 11));
            publisher.send(ByteBuffer.wrap(PUBLISHED));
            half.send(ByteBuffer.wrap(Strange.SIGNATURE, 11, 1));
            assertTold(half.awaitError(), CloseReason.UNSUPPORTED, PROXY_2);
            publisher.send(ByteBuffer.wrap(PUBLISHED));
            healthy.awaitMessages(2);
            assertThat(healthy.received().wrong()).isNull();
        }
    }
}
