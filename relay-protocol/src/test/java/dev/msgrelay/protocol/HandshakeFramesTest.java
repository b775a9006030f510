package dev.msgrelay.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the vectors do not show: the versions, the features, and mistakes of the one who makes a frame. */
class HandshakeFramesTest {
    @ParameterizedTest
    @CsvSource({"1, 1, 1", "1, 65535, 1", "2, 2, 0", "2, 65535, 0"})
    void findsTheVersionThatBothSpeak(int lowest, int highest, int common) throws Exception {
        ByteBuffer frame =
                HelloFrame.subscriber().versions(lowest, highest).build().encode();
        assertThat(HelloFrame.commonVersion(frame.position(FrameLayout.HEADER_LENGTH)))
                .isEqualTo(common);
        assertThat(Protocol.commonVersion(lowest, highest)).isEqualTo(common);
    }

    @Test
    void tellsTheVersionsOfAHelloThatItCannotRead() throws Exception {
        assertThat(HelloFrame.commonVersion(ByteBuffer.wrap(new byte[] {0, 2, 0, 9})))
                .isZero();
        assertThatThrownBy(() -> HelloFrame.commonVersion(ByteBuffer.wrap(new byte[] {0, 1, 0})))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining("body of 3 bytes");
        assertThatThrownBy(() -> HelloFrame.commonVersion(ByteBuffer.wrap(new byte[] {0, 2, 0, 1})))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining("highest version 1");
        assertThatThrownBy(() -> HelloFrame.commonVersion(ByteBuffer.wrap(new byte[] {0, 0, 0, 1})))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining("lowest version 0");
    }

    @Test
    void onlyAFeatureThatMustBeUnderstoodCanBeMissing() {
        assertThat(Features.notUnderstood(0)).isZero();
        assertThat(Features.notUnderstood(0xFFFF)).isZero();
        assertThat(Features.notUnderstood(0x8001_0001)).isEqualTo(0x8000_0000);
        assertThat(Features.notUnderstood(Features.TOKEN)).isZero();
        HelloFrame hello = HelloFrame.subscriber().features(Features.SEQUENCES).build();
        assertThat(hello.wants(Features.SEQUENCES)).isTrue();
        assertThat(hello.wants(Features.ACKS)).isFalse();
    }

    @Test
    void aMistakeOfTheCallerIsAnIllegalArgument() {
        assertThatThrownBy(() -> HelloFrame.publisher().features(Features.ACKS).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("HELLO (0x80000001): length of name, needed for ACKS, 0 is not within 1..255");
        assertThatThrownBy(() -> HelloFrame.subscriber().name("\uD800").build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("name is no valid text");
        assertThatThrownBy(() -> HelloFrame.subscriber().name("ü".repeat(128)).build())
                .hasMessageContaining("length of name 256 is not within 0..255");
        assertThatThrownBy(() -> HelloFrame.subscriber().versions(0, 70000).build())
                .hasMessageContaining("lowest version 0");
        assertThatThrownBy(() -> new WelcomeFrame(1, Policy.SKIP, 256, 0, 1, 1, 0, 1, 100, 100, 0, "", 0))
                .hasMessageContaining("flags 256 is not within 0..255");
        assertThatThrownBy(() -> peer(0, 0, "", "audit"))
                .hasMessageContaining("length of address and identity 5 is not 0 without PEER");
        assertThatThrownBy(() -> peer(0, 500, "", "")).hasMessageContaining("interval 500 is not 0 without INTERVAL");
        assertThatThrownBy(() -> peer(Features.INTERVAL, 9, "", ""))
                .hasMessageContaining("interval in milliseconds 9 is not within 10..3600000");
        assertThatThrownBy(() -> peer(Features.PEER, 0, "unix", "ü".repeat(128)))
                .hasMessageContaining("length of identity 256 is not within 0..255");
        assertThatThrownBy(() -> new SubscribedFrame(1, 0)).hasMessageContaining("sequence 0");
        assertThatThrownBy(() -> new GoAwayFrame(0, 0, "")).hasMessageContaining("code 0");
    }

    private static WelcomeFrame peer(int features, int interval, String address, String identity) {
        return new WelcomeFrame(
                1, Policy.SKIP, 0, features, 1, 1, 0, 1, 100, 100, 0, "", 0, Epochs.NONE, interval, address, identity);
    }

    /** A relay that does not know the values answers MALFORMED_CONTROL; these bytes are what it is sent. */
    @Test
    void theStateHasItsOwnStart() {
        HelloFrame hello = HelloFrame.subscriber().fromState(7, 8).build();
        assertThat(hello.start()).isSameAs(StartFrom.STATE);
        assertThat(hello.start().code()).isEqualTo(4);
        assertThat(hello.epoch()).isEqualTo(7);
        assertThat(hello.number()).isEqualTo(8);
        assertThat(Policy.LATEST.code()).isEqualTo(5);
        assertThat(GapReason.SUPERSEDED.code()).isEqualTo(4);
    }

    @Test
    void aProducerIdIsRandomAndKeepsItsSecret() {
        ProducerId id = ProducerId.random();
        assertThat(id.isNone()).isFalse();
        assertThat(id).isNotEqualTo(ProducerId.random());
        assertThat(id.hex()).hasSize(32);
        assertThat(ProducerId.parse(id.hex())).isEqualTo(id);
        assertThat(id.toString()).isEqualTo(id.hex().substring(0, 8) + "...");
        assertThat(ProducerId.NONE).hasToString("none");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0123456789abcdef",
                "0123456789abcdef0123456789abcdeg",
                "0123456789abcdef0123456789abcdef0",
                "00000000000000000000000000000000"
            })
    void whatIsNoProducerId(String text) {
        assertThatThrownBy(() -> ProducerId.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a producer id is 32 hexadecimal digits, not all 0");
    }

    @Test
    void aTokenIsRandomAndNoTextShowsIt() {
        Token token = Token.random();
        assertThat(token.text())
                .matches("[A-Za-z0-9_-]{43}")
                .isNotEqualTo(Token.random().text());
        assertThat(token).hasToString("not shown").isEqualTo(Token.of(token.text()));
        assertThat(Token.NONE).hasToString("none").isNotEqualTo(token);
        assertThat(HelloFrame.subscriber().token(token).build().toString()).doesNotContain(token.text());
        assertThat(HexFormat.of().formatHex(Token.of("abc").sha256()))
                .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        for (String bad : new String[] {"", "s3cret".repeat(43), "s3cret\n"}) {
            assertThatThrownBy(() -> Token.of(bad))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("token")
                    .hasMessageNotContaining("s3cret");
        }
    }

    @Test
    void theLargestHelloIsWithinTheLimitOfAControlFrame() {
        int[] bounds = new int[2 * TypeRanges.MAX_RANGES];
        for (int i = 0; i < bounds.length; i++) {
            bounds[i] = 2 * (i / 2);
        }
        ByteBuffer frame = HelloFrame.subscriber()
                .types(TypeRanges.of(bounds))
                .name("n".repeat(255))
                .token(Token.of("t".repeat(255)))
                .build()
                .encode();
        assertThat(frame.remaining() - FrameLayout.HEADER_LENGTH)
                .isEqualTo(40 + 8 * 1024 + 2 + 255 + 16 + 2 + 255)
                .isLessThan(ControlFrames.MAX_CONTROL_BODY);
    }

    @Test
    void theTextOfGoAwayIsCutBetweenTwoCharacters() throws Exception {
        GoAwayFrame frame = new GoAwayFrame(CloseReason.SHUTDOWN, 1, "a" + "ü".repeat(300));
        assertThat(frame.text()).isEqualTo("a" + "ü".repeat(255));
        assertThat(GoAwayFrame.decode(frame.encode().position(FrameLayout.HEADER_LENGTH)))
                .isEqualTo(frame);
        assertThat(frame.reason()).isSameAs(CloseReason.SHUTDOWN);
        assertThat(new GoAwayFrame(65535, 1, "").reason()).isNull();
    }

    /** Each setting, in one go, is what the frame says. */
    @Test
    void everythingThatAHelloMaySay() throws Exception {
        Token token = Token.of("s3cret");
        ProducerId id = new ProducerId(1, 2);
        HelloFrame publisher = HelloFrame.publisher()
                .nextNumber(7, 8)
                .policy(Policy.RELAY_DEFAULT)
                .heartbeatMillis(2000)
                .producer(id)
                .token(token)
                .level(Level.FORCED)
                .features(Features.ACKS)
                .name("orders")
                .build();
        assertThat(HelloFrame.decode(publisher.encode().position(FrameLayout.HEADER_LENGTH)))
                .isEqualTo(publisher);
        assertThat(publisher)
                .isEqualTo(new HelloFrame(
                        Protocol.VERSION,
                        Protocol.VERSION,
                        Role.PUBLISHER,
                        Policy.RELAY_DEFAULT,
                        StartFrom.LIVE,
                        Features.ACKS | Features.TOKEN | Features.LEVELS,
                        2000,
                        7,
                        8,
                        TypeRanges.ALL,
                        "orders",
                        id,
                        token,
                        Level.FORCED,
                        0));
        HelloFrame subscriber = HelloFrame.subscriber()
                .policy(Policy.SKIP)
                .fromSequence(7, 8)
                .types(TypeRanges.of(1, 9))
                .build();
        assertThat(subscriber.start()).isEqualTo(StartFrom.SEQUENCE);
        assertThat(subscriber.policy()).isEqualTo(Policy.SKIP);
        assertThat(HelloFrame.subscriber()
                        .fromEarliest()
                        .policy(Policy.SKIP)
                        .build()
                        .start())
                .isEqualTo(StartFrom.EARLIEST);
        // Who takes the token back takes the feature back, and no other one.
        HelloFrame without = HelloFrame.subscriber()
                .features(Features.SEQUENCES)
                .token(token)
                .token(Token.NONE)
                .build();
        assertThat(without.wants(Features.TOKEN)).isFalse();
        assertThat(without.wants(Features.SEQUENCES)).isTrue();
        assertThat(token).hasSameHashCodeAs(Token.of("s3cret")).isNotEqualTo(Token.of("s3cres"));
        assertThat(token.hashCode()).isNotZero();
    }

    @Test
    void whatWelcomeGrants() {
        WelcomeFrame welcome = new WelcomeFrame(
                1, Policy.SKIP, WelcomeFrame.EPOCH_CHANGED, Features.SEQUENCES, 1, 1, 0, 1, 100, 100, 0, "", 0);
        assertThat(welcome.epochChanged()).isTrue();
        assertThat(welcome.grants(Features.SEQUENCES)).isTrue();
        assertThat(welcome.grants(Features.ACKS)).isFalse();
        assertThat(welcome.rolledBack()).isFalse();
        WelcomeFrame back =
                new WelcomeFrame(1, Policy.SKIP, WelcomeFrame.ROLLED_BACK, 0, 1, 1, 0, 1, 100, 100, 0, "", 5);
        assertThat(back.rolledBack()).isTrue();
        assertThat(back.epochChanged()).isFalse();
    }
}
