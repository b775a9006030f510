package dev.msgrelay.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The reserved types, the ERROR frame and the reasons it carries. */
class ControlFramesTest {
    @Test
    void exactlyTheReservedRangeIsControl() {
        for (long type = 0x80000000L; type <= 0x800000FFL; type++) {
            assertThat(ControlFrames.isControl((int) type)).isTrue();
        }
        int[] messages = {0, 1, -1, 0x7FFFFFFF, 0x80000100, 0xFFFFFFFF, 0x00000009, 0x80000000 - 1};
        for (int type : messages) {
            assertThat(ControlFrames.isControl(type)).as("%08X", type).isFalse();
        }
    }

    @Test
    void namesReservedTypesInHexadecimal() {
        assertThat(ControlFrames.typeName(ControlFrames.ERROR)).isEqualTo("0x80000009");
        assertThat(ControlFrames.typeName(-1)).isEqualTo("-1");
        assertThat(ControlFrames.typeName(17)).isEqualTo("17");
    }

    @Test
    void namesTheFramesThatItKnows() {
        String[] names = {
            "HELLO",
            "WELCOME",
            "SUBSCRIBE",
            "PING",
            "PONG",
            "SEQUENCE",
            "GAP",
            "ACK",
            "ERROR",
            "GOAWAY",
            "SUBSCRIBED",
            "RETRY_AFTER"
        };
        for (int i = 0; i < names.length; i++) {
            int type = ControlFrames.FIRST + 1 + i;
            assertThat(ControlFrames.name(type))
                    .isEqualTo(String.format(Locale.ROOT, "%s (0x800000%02X)", names[i], i + 1));
            assertThat(ControlFrames.mustUnderstand(type)).isFalse();
        }
        assertThat(ControlFrames.name(ControlFrames.FIRST)).isEqualTo("0x80000000");
        assertThat(ControlFrames.name(ControlFrames.LAST)).isEqualTo("0x800000FF");
        assertThat(ControlFrames.name(-7)).isEqualTo("-7");
    }

    @Test
    void theUpperHalfMustBeUnderstood() {
        assertThat(ControlFrames.mustUnderstand(0x80000000)).isFalse();
        assertThat(ControlFrames.mustUnderstand(0x8000007F)).isFalse();
        assertThat(ControlFrames.mustUnderstand(0x80000080)).isTrue();
        assertThat(ControlFrames.mustUnderstand(0x800000FF)).isTrue();
        for (int message : new int[] {0x80, 0xFF, -1, 0x80000180}) {
            assertThat(ControlFrames.mustUnderstand(message))
                    .as("%08X", message)
                    .isFalse();
        }
    }

    @Test
    void theCodesOfTheEnumsNeverChange() {
        for (int code = -1; code <= 256; code++) {
            assertThat(Role.ofCode(code)).isSameAs(at(code - 1, Role.SUBSCRIBER, Role.PUBLISHER));
            assertThat(Policy.ofCode(code))
                    .isSameAs(at(
                            code,
                            Policy.RELAY_DEFAULT,
                            Policy.DISCONNECT,
                            Policy.BACKPRESSURE,
                            Policy.SKIP,
                            Policy.REPLAY,
                            Policy.LATEST));
            assertThat(StartFrom.ofCode(code))
                    .isSameAs(at(
                            code,
                            StartFrom.LIVE,
                            StartFrom.SEQUENCE,
                            StartFrom.EARLIEST,
                            StartFrom.TIME,
                            StartFrom.STATE));
            assertThat(GapReason.ofCode(code))
                    .isSameAs(
                            at(code - 1, GapReason.SLOW, GapReason.NOT_HELD, GapReason.DAMAGED, GapReason.SUPERSEDED));
        }
        for (Role role : Role.values()) {
            assertThat(Role.ofCode(role.code())).isSameAs(role);
        }
        for (Policy policy : Policy.values()) {
            assertThat(Policy.ofCode(policy.code())).isSameAs(policy);
        }
        for (StartFrom start : StartFrom.values()) {
            assertThat(StartFrom.ofCode(start.code())).isSameAs(start);
        }
        for (GapReason reason : GapReason.values()) {
            assertThat(GapReason.ofCode(reason.code())).isSameAs(reason);
            assertThat(reason.text()).isNotEmpty();
        }
    }

    @Test
    void aCodeThatIsNoneIsNull() {
        int most = CloseReason.values()[CloseReason.values().length - 1].code();
        for (int code = -1; code <= most + 1; code++) {
            CloseReason reason = CloseReason.ofCode(code);
            assertThat(reason == null || reason.code() == code)
                    .as("code %d", code)
                    .isTrue();
        }
        assertThat(CloseReason.ofCode(0)).isNull();
        assertThat(CloseReason.ofCode(most + 1)).isNull();
        assertThat(Stream.of(CloseReason.values()).map(CloseReason::text))
                .doesNotHaveDuplicates()
                .noneMatch(String::isBlank);
        for (int code = -1; code <= 3; code++) {
            assertThat(Level.ofCode(code)).isSameAs(at(code, Level.STREAM, Level.WRITTEN, Level.FORCED));
        }
    }

    @Test
    void aLevelByItsName() {
        for (Level level : Level.values()) {
            assertThat(Level.ofCode(level.code())).isSameAs(level);
            assertThat(Level.ofFlag(" " + level.flag().toUpperCase(Locale.ROOT)))
                    .isSameAs(level);
        }
        assertThat(Level.FORCED.flag()).isEqualTo("forced");
        assertThatThrownBy(() -> Level.ofFlag("disk"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'disk' is no level: stream, written or forced");
    }

    @Test
    void anAckSaysANumberForEachLevel() {
        ByteBuffer frame = ByteBuffer.allocate(FrameLayout.frameLength(32));
        AckFrame.put(frame, 9, 70, 5, 3);
        assertThat(frame.hasRemaining()).isFalse();
        frame.flip().position(FrameLayout.HEADER_LENGTH);
        assertThat(AckFrame.number(frame, Level.STREAM)).isEqualTo(9);
        assertThat(AckFrame.number(frame, Level.WRITTEN)).isEqualTo(5);
        assertThat(AckFrame.number(frame, Level.FORCED)).isEqualTo(3);
        frame.clear();
        AckFrame.put(frame, 9, 70);
        frame.flip().position(FrameLayout.HEADER_LENGTH);
        assertThat(AckFrame.number(frame, Level.STREAM)).isEqualTo(9);
        assertThat(AckFrame.number(frame, Level.WRITTEN)).as("it is not told").isZero();
    }

    @SafeVarargs
    private static <T> T at(int index, T... values) {
        return index >= 0 && index < values.length ? values[index] : null;
    }

    @ParameterizedTest
    @EnumSource(CloseReason.class)
    void anErrorFrameTellsReasonAndText(CloseReason reason) throws Exception {
        ByteBuffer frame = ErrorFrame.encode(reason, "length 2000000 über 1048576");
        int[] seen = new int[1];
        new FrameReader().read(new ScriptedChannel(bytes(frame), () -> 999), (type, body) -> {
            assertThat(type).isEqualTo(ControlFrames.ERROR);
            int position = body.position();
            seen[0] = ErrorFrame.code(body);
            assertThat(ErrorFrame.text(body)).isEqualTo("length 2000000 über 1048576");
            assertThat(body.position()).isEqualTo(position);
        });
        assertThat(CloseReason.ofCode(seen[0])).isSameAs(reason);
    }

    @Test
    void theErrorFrameOnTheWire() {
        byte[] expected = {(byte) 0x80, 0, 0, 9, 0, 0, 0, 4, 0, 8, 'h', 'i'};
        assertThat(bytes(ErrorFrame.encode(CloseReason.SLOW_SUBSCRIBER, "hi"))).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "ü", "€", "😀"})
    void aLongTextIsCutBetweenTwoCharacters(String character) {
        int size = character.getBytes(StandardCharsets.UTF_8).length;
        for (int shift = 0; shift < size; shift++) {
            String text = "a".repeat(shift) + character.repeat(ErrorFrame.MAX_TEXT);
            ByteBuffer frame = ErrorFrame.encode(CloseReason.INTERNAL_ERROR, text);
            String kept = ErrorFrame.text(frame.position(FrameLayout.HEADER_LENGTH));
            assertThat(text).startsWith(kept);
            int bytes = kept.getBytes(StandardCharsets.UTF_8).length;
            assertThat(bytes).isBetween(ErrorFrame.MAX_TEXT - size + 1, ErrorFrame.MAX_TEXT);
        }
    }

    @Test
    void aTextOfExactlyTheLimitIsKeptWhole() {
        String text = "y".repeat(ErrorFrame.MAX_TEXT);
        ByteBuffer frame = ErrorFrame.encode(CloseReason.INTERNAL_ERROR, text);
        assertThat(ErrorFrame.text(frame.position(FrameLayout.HEADER_LENGTH))).isEqualTo(text);
    }

    @Test
    void aBodyTooShortHasNoCodeAndNoText() {
        for (int length = 0; length < 2; length++) {
            assertThat(ErrorFrame.code(ByteBuffer.allocate(length))).isZero();
            assertThat(ErrorFrame.text(ByteBuffer.allocate(length))).isEmpty();
        }
        ByteBuffer codeOnly = ByteBuffer.allocate(2).putShort(0, (short) 0xFFFE);
        assertThat(ErrorFrame.code(codeOnly)).as("unsigned").isEqualTo(0xFFFE);
        assertThat(ErrorFrame.text(codeOnly)).isEmpty();
    }

    @Test
    void theCodesOfTheReasonsNeverChange() {
        Map<CloseReason, Integer> codes = new LinkedHashMap<>();
        codes.put(CloseReason.PEER_CLOSED, 1);
        codes.put(CloseReason.CONNECTION_LOST, 2);
        codes.put(CloseReason.TRUNCATED_FRAME, 3);
        codes.put(CloseReason.NEGATIVE_LENGTH, 4);
        codes.put(CloseReason.OVERSIZED_LENGTH, 5);
        codes.put(CloseReason.RESERVED_TYPE, 6);
        codes.put(CloseReason.UNEXPECTED_INPUT, 7);
        codes.put(CloseReason.SLOW_SUBSCRIBER, 8);
        codes.put(CloseReason.STALLED_SUBSCRIBER, 9);
        codes.put(CloseReason.SHUTDOWN, 10);
        codes.put(CloseReason.INTERNAL_ERROR, 11);
        codes.put(CloseReason.MALFORMED_CONTROL, 12);
        codes.put(CloseReason.UNSUPPORTED, 13);
        codes.put(CloseReason.WRONG_ROLE, 14);
        codes.put(CloseReason.PROTOCOL_ORDER, 15);
        codes.put(CloseReason.HANDSHAKE_TIMEOUT, 16);
        codes.put(CloseReason.IDLE_TIMEOUT, 17);
        codes.put(CloseReason.TOO_MANY_CONNECTIONS, 18);
        codes.put(CloseReason.TOO_MANY_PUBLISHERS, 19);
        codes.put(CloseReason.NAME_TAKEN, 20);
        codes.put(CloseReason.BAD_START, 21);
        codes.put(CloseReason.TOO_MANY_NAMES, 22);
        codes.put(CloseReason.MESSAGE_GAP, 23);
        codes.put(CloseReason.NAME_HELD, 24);
        codes.put(CloseReason.MEMORY_LIMIT, 25);
        codes.put(CloseReason.FRAME_TIMEOUT, 26);
        codes.put(CloseReason.TOO_MANY_FROM_ADDRESS, 27);
        codes.put(CloseReason.NOT_AUTHENTICATED, 28);
        codes.put(CloseReason.NOT_PERMITTED, 29);
        codes.put(CloseReason.REVOKED, 30);
        codes.put(CloseReason.TLS_FAILED, 31);
        codes.put(CloseReason.RATE_LIMITED, 32);
        codes.put(CloseReason.TLS_KEY_USED_UP, 33);
        codes.put(CloseReason.JOURNAL_FAILED, 34);
        codes.forEach((reason, code) -> {
            assertThat(reason.code()).as(reason.name()).isEqualTo(code);
            assertThat(CloseReason.ofCode(code)).isSameAs(reason);
        });
        assertThat(EnumSet.complementOf(EnumSet.copyOf(codes.keySet())))
                .as("a new reason gets a code of its own, written down here")
                .isEmpty();
    }

    @Test
    void aCodeThatThisVersionDoesNotKnowIsNoReason() {
        for (int code : new int[] {0, -1, 35, 0xFFFF}) {
            assertThat(CloseReason.ofCode(code)).as("code %d", code).isNull();
        }
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }
}
