package dev.msgrelay.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.Strange;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class StrangerTest {
    /** The first bytes of a client, the number of them that tells, and whether they may seem to be a frame's header. */
    static Stream<Arguments> firstBytes() {
        return Stream.of(
                Arguments.of(Stranger.PROXY_2, Strange.proxied(), 12, true),
                Arguments.of(Stranger.PROXY_1, Strange.proxiedByLine(), 6, false),
                Arguments.of(Stranger.PROXY_1, Strange.ascii("PROXY UNKNOWN\r\n"), 6, false),
                Arguments.of(Stranger.TLS, Strange.clientHello(512), 10, true),
                Arguments.of(Stranger.TLS, Strange.clientHello(1790), 10, true),
                Arguments.of(Stranger.HTTP, Strange.ascii("GET / HTTP/1.1\r\n"), 4, false),
                Arguments.of(Stranger.HTTP, Strange.ascii("HEAD /health HTTP/1.0\r\n"), 5, false),
                Arguments.of(Stranger.HTTP, Strange.ascii("OPTIONS * HTTP/1.1\r\n"), 8, false),
                Arguments.of(Stranger.HTTP, Strange.ascii("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 6, false),
                Arguments.of(Stranger.SSH, Strange.ascii("SSH-2.0-OpenSSH_9.6\r\n"), 4, false),
                Arguments.of(Stranger.REDIS, Strange.ascii("*1\r\n$4\r\nPING\r\n"), 5, false),
                Arguments.of(Stranger.REDIS, Strange.ascii("*12\r\n$3\r\nSET\r\n"), 6, false),
                Arguments.of(Stranger.MQTT, Strange.mqttConnect(), 8, false),
                Arguments.of(Stranger.MQTT, HexFormat.of().parseHex("10ff0100044d51545405"), 9, false),
                Arguments.of(Stranger.MQTT, HexFormat.of().parseHex("1000ff7f00044d515454"), 10, false),
                Arguments.of(Stranger.MQTT, HexFormat.of().parseHex("101e00064d5149736470"), 10, false));
    }

    @ParameterizedTest
    @MethodSource("firstBytes")
    void isKnownAsSoonAsItsSignatureIsThere(Stranger who, byte[] bytes, int tells, boolean asHeader) {
        ByteBuffer somewhere = ByteBuffer.allocate(bytes.length + 3).put(3, bytes);
        for (int length = 0; length <= bytes.length; length++) {
            boolean known = length >= tells;
            assertThat(Stranger.of(somewhere, 3, length, false))
                    .isEqualTo(Optional.of(who).filter(it -> known));
            assertThat(Stranger.of(somewhere, 3, length, true))
                    .isEqualTo(Optional.of(who).filter(it -> known && asHeader));
            if (!known) {
                assertThat(Stranger.mayFollow(somewhere, 3, length, false)).isTrue();
            }
        }
    }

    @Test
    void soManyBytesAlwaysTell() {
        Random random = new Random(1);
        byte[] bytes = new byte[Stranger.LONGEST];
        for (int i = 0; i < 10_000; i++) {
            random.nextBytes(bytes);
            System.arraycopy(Strange.SIGNATURE, 0, bytes, 0, random.nextInt(12));
            assertThat(Stranger.mayFollow(ByteBuffer.wrap(bytes), 0, bytes.length, false))
                    .isFalse();
        }
    }

    @Test
    void isNoneWithOneByteChanged() {
        for (int i = 0; i < Strange.SIGNATURE.length; i++) {
            byte[] bytes = Strange.proxied();
            bytes[i] ^= 1;
            assertThat(Stranger.of(ByteBuffer.wrap(bytes), 0, bytes.length, false))
                    .as("byte %d", i)
                    .isEmpty();
        }
        // Lengths of a ClientHello that do not fit each other.
        byte[] hello = Strange.clientHello(512);
        hello[4]++;
        hello[8] = 0;
        hello[7] = 0;
        assertThat(Stranger.of(ByteBuffer.wrap(hello), 0, hello.length, false)).isEmpty();
    }

    @Test
    void noControlFrameIsStrange() {
        for (int first = 0x80; first <= 0xFF; first++) {
            assertThat(Stranger.mayFollow(ByteBuffer.wrap(new byte[] {(byte) first}), 0, 1, false))
                    .isFalse();
        }
    }
}
