package dev.msgrelay.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.msgrelay.protocol.Codecs.Ack;
import dev.msgrelay.protocol.Codecs.Error;
import dev.msgrelay.protocol.Codecs.Gap;
import dev.msgrelay.protocol.Codecs.Ping;
import dev.msgrelay.protocol.Codecs.Pong;
import dev.msgrelay.protocol.Codecs.RetryAfter;
import dev.msgrelay.protocol.Codecs.Sequence;
import dev.msgrelay.protocol.TestStream.Frame;
import dev.msgrelay.protocol.TestVector.Field;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The test vectors, which other clients may use as well, are what this library reads and writes. */
class TestVectorTest {
    private static final Pattern VALUE = Pattern.compile("(.+?) = (-?\\d+|0x[0-9A-F]+|\"[^\"]*\")( \\(.*\\))?");
    private static final long EPOCH = 0x1122334455667788L;
    private static final long MAX = Long.MAX_VALUE;

    /** What each good vector says, by its name. */
    private static final Map<String, Object> MEANING = meaning();

    private static Map<String, Object> meaning() {
        Map<String, Object> m = new HashMap<>();
        hellos(m);
        levels(m);
        states(m);
        TypeRanges all = TypeRanges.ALL;
        m.put("welcome-minimal", welcome(1, Policy.DISCONNECT, 0, 0, 1, 1, 0, ""));
        m.put("welcome-subscriber", welcome(1, Policy.SKIP, 0, Features.SEQUENCES, EPOCH, 1000, 0, "relay 0.2.0"));
        m.put("welcome-replay", welcome(1, Policy.REPLAY, 0, Features.SEQUENCES, EPOCH, 1000, 0, "relay 0.2.0"));
        m.put(
                "welcome-publisher",
                welcome(1, Policy.RELAY_DEFAULT, 0, Features.ACKS, EPOCH, 100_000, 4710, "relay 0.2.0"));
        m.put("welcome-epoch-changed", welcome(1, Policy.DISCONNECT, 1, 0, -2, 1, 0, "relay 0.2.0"));
        m.put(
                "welcome-limits",
                new WelcomeFrame(
                        65535,
                        Policy.SKIP,
                        255,
                        -1,
                        -1,
                        MAX,
                        MAX,
                        64 << 20,
                        3_600_000,
                        Integer.MAX_VALUE,
                        65535,
                        "r".repeat(255),
                        MAX,
                        new Epochs(Collections.nCopies(Epochs.MOST, new Epochs.Row(-1, MAX))),
                        3_600_000,
                        "a".repeat(255),
                        "i".repeat(255)));
        m.put("welcome-later-version", welcome(1, Policy.DISCONNECT, 0, 0, EPOCH, 1, 0, "relay 0.2.0"));
        m.put("welcome-fork-none", welcome(1, Policy.DISCONNECT, 0, 0, EPOCH, 1, 0, "relay 0.2.0"));
        m.put("welcome-silent", welcome(1, Policy.DISCONNECT, 0, 0, -2, 4700, 0, "relay 0.2.0"));
        int rolledBack = WelcomeFrame.EPOCH_CHANGED | WelcomeFrame.ROLLED_BACK;
        m.put(
                "welcome-rolled-back",
                new WelcomeFrame(
                        1,
                        Policy.DISCONNECT,
                        rolledBack,
                        0,
                        -2,
                        4700,
                        0,
                        1 << 20,
                        1000,
                        5000,
                        1024,
                        "relay 0.2.0",
                        4700));
        m.put(
                "welcome-publisher-rolled-back",
                new WelcomeFrame(
                        1,
                        Policy.RELAY_DEFAULT,
                        rolledBack,
                        Features.ACKS | Features.LEVELS,
                        -2,
                        100_000,
                        0,
                        1 << 20,
                        1000,
                        5000,
                        1024,
                        "relay 0.2.0",
                        4700));
        epochs(m, rolledBack);
        peers(m, rolledBack);
        m.put("subscribe-minimal", new SubscribeFrame(1, all));
        m.put("subscribe-full", new SubscribeFrame(-7, TypeRanges.of(-2147483392, -100, 0, 0, 100, 2147483647)));
        m.put("subscribe-later-version", new SubscribeFrame(2, TypeRanges.of(1, 9)));
        m.put("subscribed-minimal", new SubscribedFrame(1, 1));
        m.put("subscribed-full", new SubscribedFrame(Integer.MIN_VALUE, MAX));
        m.put("subscribed-later-version", new SubscribedFrame(1, 1));
        m.put("ping-minimal", new Ping(1, 0, 0));
        m.put("ping-subscriber", new Ping(7, 42, 45));
        m.put("ping-limits", new Ping(Long.MIN_VALUE, MAX, MAX));
        m.put("ping-later-version", new Ping(1, 0, 0));
        m.put("pong", new Pong(7));
        m.put("pong-later-version", new Pong(-1));
        m.put("sequence", new Sequence(1_234_567_890_123L));
        m.put("sequence-later-version", new Sequence(1));
        m.put("retry-after", new RetryAfter(300));
        m.put("retry-after-zero", new RetryAfter(0));
        m.put("retry-after-limit", new RetryAfter(3_600_000));
        m.put("retry-after-later-version", new RetryAfter(300));
        m.put("gap-slow", new Gap(10, 19, GapReason.SLOW.code()));
        m.put("gap-not-held", new Gap(1, 1, GapReason.NOT_HELD.code()));
        m.put("gap-damaged", new Gap(1, 1, GapReason.DAMAGED.code()));
        m.put("gap-superseded", new Gap(10, 19, GapReason.SUPERSEDED.code()));
        m.put("gap-limits", new Gap(MAX, MAX, GapReason.NOT_HELD.code()));
        m.put("gap-unknown-reason", new Gap(5, 6, 65535));
        m.put("gap-later-version", new Gap(10, 19, GapReason.SLOW.code()));
        m.put("ack-minimal", new Ack(1, 1, false, 0, 0));
        m.put("ack-full", new Ack(4711, 99_999, false, 0, 0));
        m.put("ack-levels", new Ack(4711, 99_999, true, 4700, 4096));
        m.put("ack-levels-none", new Ack(1, 1, true, 0, 0));
        m.put("ack-later-version", new Ack(1, 1, true, 0, 0));
        m.put("error-minimal", new Error(CloseReason.SHUTDOWN.code(), ""));
        m.put(
                "error-full",
                new Error(
                        CloseReason.OVERSIZED_LENGTH.code(),
                        "body length 2000000 in a frame of type 7 is over the limit of 1048576 bytes"));
        m.put("error-unknown-code", new Error(65535, "from the future"));
        m.put("goaway-minimal", new GoAwayFrame(CloseReason.SHUTDOWN, 0, ""));
        m.put(
                "goaway-full",
                new GoAwayFrame(CloseReason.SHUTDOWN, 5000, "down for maintenance until 18:00 – use relay-b"));
        m.put("goaway-unknown-code", new GoAwayFrame(65535, Integer.MAX_VALUE, "t".repeat(512)));
        return m;
    }

    private static void epochs(Map<String, Object> m, int rolledBack) {
        int subscriber = Features.SEQUENCES | Features.EPOCHS;
        m.put(
                "welcome-epochs",
                new WelcomeFrame(
                        1,
                        Policy.DISCONNECT,
                        0,
                        subscriber | Features.NARROWED,
                        EPOCH,
                        9500,
                        0,
                        1 << 20,
                        1000,
                        5000,
                        1024,
                        "relay 0.2.0",
                        0,
                        Epochs.parse(EPOCH + ":9000,-3:4700,77:1"),
                        0,
                        "",
                        ""));
        m.put("welcome-epochs-none", welcome(1, Policy.DISCONNECT, 0, subscriber, EPOCH, 1, 0, "relay 0.2.0"));
        StringBuilder most = new StringBuilder("-2:4600,500:4700");
        for (int i = 0; i < 14; i++) {
            most.append(',').append(1000 - i).append(':').append(4500 - i);
        }
        m.put(
                "welcome-epochs-most",
                new WelcomeFrame(
                        1,
                        Policy.RELAY_DEFAULT,
                        rolledBack,
                        Features.ACKS | Features.LEVELS | Features.EPOCHS,
                        -2,
                        100_000,
                        0,
                        1 << 20,
                        1000,
                        5000,
                        1024,
                        "relay 0.2.0",
                        4650,
                        Epochs.parse(most.toString()),
                        0,
                        "",
                        ""));
    }

    private static void peers(Map<String, Object> m, int rolledBack) {
        int numbered = Features.SEQUENCES | Features.PEER;
        String address = "192.0.2.7:40001";
        m.put("welcome-latest", welcome(1, Policy.LATEST, 0, Features.SEQUENCES, EPOCH, 1000, 0, "relay 0.2.0"));
        m.put(
                "welcome-interval",
                peer(Policy.LATEST, 0, Features.SEQUENCES | Features.INTERVAL, 1000, 0, Epochs.NONE, 500, "", ""));
        m.put(
                "welcome-interval-peer-epochs",
                peer(
                        Policy.LATEST,
                        0,
                        numbered | Features.INTERVAL | Features.EPOCHS,
                        9500,
                        0,
                        Epochs.parse(EPOCH + ":9000"),
                        10,
                        address,
                        "audit"));
        m.put("welcome-peer", peer(Policy.DISCONNECT, 0, numbered, 1000, 0, Epochs.NONE, 0, address, "audit"));
        m.put(
                "welcome-peer-later-version",
                peer(Policy.DISCONNECT, 0, Features.PEER, 1, 0, Epochs.NONE, 0, address, "audit"));
        m.put(
                "welcome-peer-unix",
                new WelcomeFrame(
                        1,
                        Policy.RELAY_DEFAULT,
                        0,
                        Features.ACKS | Features.PEER,
                        EPOCH,
                        501,
                        77,
                        1 << 20,
                        1000,
                        5000,
                        1024,
                        "relay 0.2.0",
                        0,
                        Epochs.NONE,
                        0,
                        "unix",
                        ""));
        m.put(
                "welcome-peer-epochs",
                peer(
                        Policy.DISCONNECT,
                        0,
                        numbered | Features.NARROWED | Features.EPOCHS,
                        9500,
                        0,
                        Epochs.parse(EPOCH + ":9000,-3:4700"),
                        0,
                        "[2001:db8::1]:40001",
                        "audit"));
        m.put(
                "welcome-peer-rolled-back",
                peer(Policy.DISCONNECT, rolledBack, numbered, 4700, 4700, Epochs.NONE, 0, address, "prüfer"));
    }

    private static WelcomeFrame peer(
            Policy policy,
            int flags,
            int features,
            long next,
            long fork,
            Epochs epochs,
            int interval,
            String address,
            String identity) {
        return new WelcomeFrame(
                1,
                policy,
                flags,
                features,
                EPOCH,
                next,
                0,
                1 << 20,
                1000,
                5000,
                1024,
                "relay 0.2.0",
                fork,
                epochs,
                interval,
                address,
                identity);
    }

    private static void hellos(Map<String, Object> m) {
        m.put("hello-subscriber-minimal", HelloFrame.subscriber().build());
        m.put(
                "hello-subscriber-full",
                HelloFrame.subscriber()
                        .versions(1, 3)
                        .policy(Policy.SKIP)
                        .fromSequence(EPOCH, 1000)
                        .features(Features.SEQUENCES)
                        .heartbeatMillis(2500)
                        .types(TypeRanges.of(-5, -1, 7, 7, 100, 199))
                        .name("München-2")
                        .build());
        m.put(
                "hello-subscriber-earliest",
                HelloFrame.subscriber()
                        .fromEarliest()
                        .policy(Policy.BACKPRESSURE)
                        .name("audit")
                        .build());
        m.put(
                "hello-subscriber-time",
                HelloFrame.subscriber()
                        .fromTime(1_795_411_800_000L)
                        .policy(Policy.REPLAY)
                        .name("audit")
                        .build());
        m.put("hello-publisher-minimal", HelloFrame.publisher().build());
        HelloFrame.Builder orders =
                HelloFrame.publisher().features(Features.ACKS).name("orders");
        m.put("hello-publisher-acks", orders.build());
        m.put("hello-producer-id-zero", orders.build());
        m.put(
                "hello-publisher-full",
                orders.heartbeatMillis(100).nextNumber(EPOCH, 4711).build());
        m.put(
                "hello-producer-id",
                HelloFrame.publisher()
                        .features(Features.ACKS)
                        .name("orders")
                        .producer(new ProducerId(0x0123456789ABCDEFL, 0xFEDCBA9876543210L))
                        .build());
        m.put(
                "hello-limits",
                HelloFrame.subscriber()
                        .versions(65535, 65535)
                        .policy(Policy.LATEST)
                        .fromSequence(-1, MAX)
                        .features(~Features.TOKEN)
                        .heartbeatMillis(3_600_000)
                        .types(TypeRanges.of(-2147483392, -2147483392, 2147483647, 2147483647))
                        .name("n".repeat(255))
                        .level(Level.FORCED)
                        .intervalMillis(3_600_000)
                        .build());
        m.put(
                "hello-later-version",
                HelloFrame.subscriber().versions(1, 2).name("x").build());
        m.put(
                "hello-ranges-unordered",
                HelloFrame.subscriber().types(TypeRanges.of(-5, 9, 20, 29)).build());
        m.put("hello-ranges-everything", HelloFrame.subscriber().build());
        Token token = Token.of("Zm9yIHRoZSB2ZWN0b3JzIG9ubHk");
        m.put("hello-token", HelloFrame.subscriber().name("audit").token(token).build());
        m.put(
                "hello-token-longest",
                HelloFrame.subscriber().token(Token.of("t".repeat(255))).build());
        m.put(
                "hello-token-producer-id",
                HelloFrame.publisher()
                        .features(Features.ACKS)
                        .name("orders")
                        .producer(new ProducerId(0x0123456789ABCDEFL, 0xFEDCBA9876543210L))
                        .token(token)
                        .build());
    }

    private static void levels(Map<String, Object> m) {
        ProducerId producer = new ProducerId(0x0123456789ABCDEFL, 0xFEDCBA9876543210L);
        HelloFrame.Builder orders =
                HelloFrame.publisher().features(Features.ACKS).name("orders").producer(producer);
        m.put("hello-level-stream", orders.level(Level.STREAM).build());
        m.put(
                "hello-level-forced",
                orders.level(Level.FORCED).nextNumber(EPOCH, 4711).build());
        HelloFrame.Builder audit = HelloFrame.subscriber().name("audit");
        m.put("hello-level-later-version", audit.level(Level.WRITTEN).build());
        m.put("hello-level-durable", audit.fromSequence(EPOCH, 1000).build());
        m.put(
                "hello-level-token",
                HelloFrame.subscriber()
                        .name("audit")
                        .token(Token.of("Zm9yIHRoZSB2ZWN0b3JzIG9ubHk"))
                        .level(Level.FORCED)
                        .build());
    }

    private static void states(Map<String, Object> m) {
        m.put(
                "hello-subscriber-state",
                HelloFrame.subscriber()
                        .fromState(0, 0)
                        .features(Features.SEQUENCES | Features.NARROWED | Features.EPOCHS | Features.PEER)
                        .types(TypeRanges.of(1, 9))
                        .name("audit")
                        .build());
        m.put(
                "hello-state-resumed",
                HelloFrame.subscriber()
                        .fromState(EPOCH, 1000)
                        .features(Features.SEQUENCES | Features.PEER)
                        .name("audit")
                        .build());
        m.put(
                "hello-peer",
                HelloFrame.publisher().features(Features.PEER).name("orders").build());
        HelloFrame.Builder latest =
                HelloFrame.subscriber().policy(Policy.LATEST).name("audit");
        m.put("hello-interval-later-version", latest.intervalMillis(3_600_000).build());
        m.put(
                "hello-interval-token-level",
                latest.token(Token.of("Zm9yIHRoZSB2ZWN0b3JzIG9ubHk"))
                        .level(Level.STREAM)
                        .intervalMillis(10)
                        .build());
        HelloFrame.Builder counted = HelloFrame.subscriber()
                .policy(Policy.LATEST)
                .features(Features.SEQUENCES)
                .name("audit");
        m.put("hello-policy-latest", counted.build());
        m.put("hello-interval", counted.fromState(0, 0).intervalMillis(500).build());
        m.put(
                "hello-interval-none",
                HelloFrame.subscriber().intervalMillis(0).name("audit").build());
    }

    private static WelcomeFrame welcome(
            int version, Policy policy, int flags, int features, long epoch, long next, long accepted, String server) {
        return new WelcomeFrame(
                version, policy, flags, features, epoch, next, accepted, 1 << 20, 1000, 5000, 1024, server, 0);
    }

    @Test
    void eachGoodOneHasItsMeaningHere() {
        Set<String> names = new TreeSet<>();
        TestVector.good().forEach(v -> names.add(v.name().replace("good-", "")));
        assertThat(names).isEqualTo(new TreeSet<>(MEANING.keySet()));
        assertThat(TestVector.bad()).hasSizeGreaterThan(names.size());
    }

    static List<TestVector> all() {
        return TestVector.all().toList();
    }

    static List<TestVector> good() {
        return TestVector.good();
    }

    static List<TestVector> bad() {
        return TestVector.bad();
    }

    @ParameterizedTest
    @MethodSource("all")
    void itsCommentsAreTrue(TestVector vector) {
        for (Field field : vector.fields()) {
            Matcher matcher = VALUE.matcher(field.comment());
            if (field.comment().contains("=")) {
                assertThat(matcher.matches()).as(field.comment()).isTrue();
                assertThat(field.bytes()).as(field.comment()).isEqualTo(bytes(matcher.group(2), field.bytes().length));
            }
        }
    }

    private static byte[] bytes(String value, int length) {
        if (value.startsWith("\"")) {
            return value.substring(1, value.length() - 1).getBytes(StandardCharsets.UTF_8);
        }
        BigInteger number = value.startsWith("0x") ? new BigInteger(value.substring(2), 16) : new BigInteger(value);
        byte[] bytes = new byte[length];
        for (int i = length - 1; i >= 0; i--) {
            bytes[i] = number.byteValue();
            number = number.shiftRight(Byte.SIZE);
        }
        assertThat(number.signum()).as("%s fits into %d bytes", value, length).isLessThanOrEqualTo(0);
        return bytes;
    }

    @ParameterizedTest
    @MethodSource("good")
    void aGoodOneIsReadWhereverItLies(TestVector vector) throws Exception {
        byte[] body = vector.body();
        for (ByteBuffer buffer :
                List.of(ByteBuffer.allocate(body.length + 5), ByteBuffer.allocateDirect(body.length + 5))) {
            buffer.position(3);
            buffer.put(body).flip().position(3);
            assertThat(Codecs.decode(vector.type(), buffer))
                    .isEqualTo(MEANING.get(vector.name().replace("good-", "")));
            assertThat(buffer.position()).isEqualTo(3);
            assertThat(buffer.limit()).isEqualTo(3 + body.length);
        }
    }

    @ParameterizedTest
    @MethodSource("good")
    void aGoodOneIsWhatTheLibraryWrites(TestVector vector) throws Exception {
        byte[] written = Codecs.encode(MEANING.get(vector.name().replace("good-", "")));
        if (vector.isCanonical()) {
            assertThat(written).isEqualTo(vector.bytes());
        } else {
            assertThat(written).isNotEqualTo(vector.bytes());
        }
    }

    @ParameterizedTest
    @MethodSource("bad")
    void aBadOneIsRefusedForItsReason(TestVector vector) {
        FrameException e = catchThrowableOfType(FrameException.class, () -> {
            List<Frame> frames = new ArrayList<>();
            // A piece of 8 bytes: a length over the limit must be refused before any of the body is there.
            TestStream.readAll(new FrameReader(), new ScriptedChannel(vector.bytes(), () -> 8), frames);
            assertThat(frames).hasSize(1);
            Codecs.decode(vector.type(), ByteBuffer.wrap(vector.body()));
        });
        assertThat(e).isNotNull();
        assertThat(e.reason().code() + " " + e.reason()).isEqualTo(vector.head().get("Reason"));
        assertThat(e).hasMessage(vector.head().get("Text"));
    }

    @ParameterizedTest
    @MethodSource("good")
    void aGoodOneThatIsCutIsRefused(TestVector vector) {
        if (!vector.isCanonical()) {
            return;
        }
        byte[] body = vector.body();
        int appended = appendedLater(vector);
        for (int length = 0; length < textStart(vector.type(), body.length); length++) {
            if (length == appended) {
                continue; // Who does not know what was appended later ends here.
            }
            ByteBuffer cut = ByteBuffer.wrap(Arrays.copyOf(body, length));
            FrameException e = catchThrowableOfType(FrameException.class, () -> Codecs.decode(vector.type(), cut));
            assertThat(e).as("cut to %d bytes", length).isNotNull();
            assertThat(e.reason()).isEqualTo(CloseReason.MALFORMED_CONTROL);
            assertThat(e)
                    .hasMessageStartingWith(ControlFrames.name(vector.type()))
                    .hasMessageContaining("body of " + length + " bytes");
        }
    }

    /** Where a text begins that ends with the frame: it may end anywhere. */
    private static int textStart(int type, int length) {
        return switch (type) {
            case ControlFrames.ERROR -> ErrorFrame.MIN_LENGTH;
            case ControlFrames.GOAWAY -> GoAwayFrame.MIN_LENGTH;
            default -> length;
        };
    }

    /** What was appended later begins with one of these. */
    private static final Pattern APPENDED = Pattern.compile("(producer id|fork|written).*");

    /** Where a body ends that leaves out what was appended later; -1 where nothing was appended to this frame. */
    private static int appendedLater(TestVector vector) {
        if (appendedBytes(vector.type()) == 0) {
            return -1;
        }
        int bytes = 0;
        for (Field field : vector.fields()) {
            if (APPENDED.matcher(field.comment()).matches()) {
                break;
            }
            bytes += field.bytes().length;
        }
        return bytes - FrameLayout.HEADER_LENGTH;
    }

    /** Bytes of what was appended later, where no feature says that there are more: all 0 is as good as none. */
    private static int appendedBytes(int type) {
        return switch (type) {
            case ControlFrames.HELLO -> ProducerId.LENGTH;
            case ControlFrames.WELCOME -> Long.BYTES;
            case ControlFrames.ACK -> 2 * Long.BYTES;
            default -> 0;
        };
    }

    @ParameterizedTest
    @MethodSource("good")
    void whatALaterVersionAppendsIsPassedOver(TestVector vector) throws Exception {
        byte[] body = vector.body();
        if (textStart(vector.type(), -1) >= 0) {
            return;
        }
        if (appendedLater(vector) == body.length) {
            // A later version has the fields that this vector leaves out, before its own.
            body = Arrays.copyOf(body, body.length + appendedBytes(vector.type()));
        }
        Object meaning = Codecs.decode(vector.type(), ByteBuffer.wrap(body));
        for (int more : new int[] {1, 2, 8, ControlFrames.MAX_CONTROL_BODY - body.length}) {
            byte[] longer = Arrays.copyOf(body, body.length + more);
            Arrays.fill(longer, body.length, longer.length, (byte) 0xFF);
            assertThat(Codecs.decode(vector.type(), ByteBuffer.wrap(longer))).isEqualTo(meaning);
        }
    }
}
