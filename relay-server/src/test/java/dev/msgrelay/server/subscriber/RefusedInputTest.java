package dev.msgrelay.server.subscriber;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Neighbours;
import dev.msgrelay.server.harness.Numbered;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.SpeakingSubscriber;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.Vectors;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/**
 * What may not be sent to the subscribe port: one ERROR with the right code, the value and the limit, then the end. It
 * is counted once, and the neighbours notice nothing.
 */
class RefusedInputTest {
    private static final Numbered NOTHING = new Numbered(new Random(1), 1, 8);

    /** @param words that the text of the ERROR holds */
    private record RefusedInput(String name, boolean afterHello, CloseReason reason, byte[] bytes, String... words) {}

    private static byte[] hello() {
        return hello(HelloFrame.subscriber());
    }

    private static byte[] hello(HelloFrame.Builder hello) {
        return hello.build().encode().array();
    }

    private static byte[] frame(int type, int bodyLength) {
        return new Frames().frame(type, bodyLength).bytes();
    }

    @Over.Sockets
    void theTestVectors(Setting setting) throws Exception {
        List<RefusedInput> faults = new ArrayList<>();
        for (Vectors v : Vectors.bad("hello")) {
            // The versions are looked at before the rest: what is missing is counted from there.
            String text = v.text().replaceAll("its fields of \\d+$", "its fields of");
            faults.add(new RefusedInput(v.name(), false, CloseReason.ofCode(v.code()), v.bytes(), text));
        }
        for (Vectors v : Vectors.bad("subscribe", "ping", "pong", "error")) {
            faults.add(new RefusedInput(v.name(), true, CloseReason.ofCode(v.code()), v.bytes(), v.text()));
        }
        assertThat(faults).hasSizeGreaterThan(40);
        for (Vectors v : Vectors.bad("welcome", "sequence", "gap", "ack", "goaway", "subscribed")) {
            // Well or badly made: it is not for a client to send.
            String name = ControlFrames.name(v.type());
            faults.add(new RefusedInput(v.name(), true, CloseReason.PROTOCOL_ORDER, v.bytes(), name));
            faults.add(new RefusedInput(v.name(), false, CloseReason.PROTOCOL_ORDER, v.bytes(), name));
        }
        refuseAll(setting, faults);
    }

    @Over.Sockets
    void whatIsNoHello(Setting setting) throws Exception {
        List<RefusedInput> faults = new ArrayList<>();
        CloseReason unexpected = CloseReason.UNEXPECTED_INPUT;
        for (int type : new int[] {0, 7, -1, Integer.MAX_VALUE, 0x80000100, 0x7FFFFFFF, 0x81000001}) {
            faults.add(new RefusedInput("message " + type, false, unexpected, frame(type, 10), "byte"));
            faults.add(new RefusedInput("message " + type, true, unexpected, frame(type, 10), "byte"));
        }
        byte[] http = "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        faults.add(new RefusedInput("HTTP", false, unexpected, http, "HTTP", "--admin"));
        for (String text : new String[] {"\n", "{\"subscribe\":1}"}) {
            byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
            faults.add(
                    new RefusedInput(text, false, unexpected, bytes, String.format(Locale.ROOT, "0x%02X", bytes[0])));
        }
        for (int stray : new int[] {0, 1, 0x7F, 0x81, 0xFF}) {
            faults.add(new RefusedInput("stray " + stray, false, unexpected, new byte[] {(byte) stray}, "byte 0"));
            faults.add(new RefusedInput("stray " + stray, true, unexpected, new byte[] {(byte) stray}, "byte 0"));
        }
        faults.add(new RefusedInput("80 01", false, unexpected, new byte[] {(byte) 0x80, 1}, "byte 1 ", "0x01"));
        faults.add(new RefusedInput("80 00 FF", false, unexpected, new byte[] {(byte) 0x80, 0, -1}, "byte 2 ", "0xFF"));
        for (int type = ControlFrames.FIRST; type <= ControlFrames.LAST; type += type % 16 == 0 ? 1 : 5) {
            if (type != ControlFrames.HELLO) {
                faults.add(new RefusedInput(
                        "early " + type, false, CloseReason.PROTOCOL_ORDER, frame(type, 8), "before HELLO"));
            }
        }
        refuseAll(setting, faults);
    }

    @Over.Sockets
    void whatHelloMayNotAskFor(Setting setting) throws Exception {
        byte[] thousand = new byte[1000 * hello().length];
        for (int i = 0; i < 1000; i++) {
            System.arraycopy(hello(), 0, thousand, i * hello().length, hello().length);
        }
        HelloFrame.Builder publisher = HelloFrame.publisher().name("p");
        HelloFrame.Builder future = HelloFrame.subscriber().versions(2, 3);
        HelloFrame.Builder feature = HelloFrame.subscriber().features(0x00020002);
        HelloFrame.Builder latest = HelloFrame.subscriber().policy(Policy.LATEST);
        HelloFrame.Builder state = HelloFrame.subscriber().fromState(0, 0);
        List<RefusedInput> faults = List.of(
                new RefusedInput("twice", true, CloseReason.PROTOCOL_ORDER, hello(), "HELLO", "second"),
                new RefusedInput("a thousand", false, CloseReason.PROTOCOL_ORDER, thousand, "HELLO", "second"),
                new RefusedInput(
                        "publisher", false, CloseReason.WRONG_ROLE, hello(publisher), "publisher", "subscriber"),
                new RefusedInput("versions", false, CloseReason.UNSUPPORTED, hello(future), "2..3", "1..1"),
                new RefusedInput("feature", false, CloseReason.UNSUPPORTED, hello(feature), "0x00020000", "0x0001007F"),
                new RefusedInput("latest", false, CloseReason.UNSUPPORTED, hello(latest), "policy latest", "--state"),
                new RefusedInput("state", false, CloseReason.UNSUPPORTED, hello(state), "the state"),
                // Of another version only the versions are looked at.
                new RefusedInput(
                        "garbage of version 9",
                        false,
                        CloseReason.UNSUPPORTED,
                        new byte[] {(byte) 0x80, 0, 0, 1, 0, 0, 0, 5, 0, 9, 0, 9, 99},
                        "9..9",
                        "1..1"));
        refuseAll(setting, faults);
    }

    @Over.Sockets
    void lengthsAndTypes(Setting setting) throws Exception {
        List<RefusedInput> faults = new ArrayList<>();
        for (boolean after : new boolean[] {false, true}) {
            for (int length : new int[] {16_385, 10 << 20, Integer.MAX_VALUE}) {
                // The header alone: nobody waits for the body.
                byte[] header = new Frames().header(ControlFrames.HELLO, length).bytes();
                faults.add(new RefusedInput("long", after, CloseReason.OVERSIZED_LENGTH, header, "" + length, "16384"));
            }
            for (int length : new int[] {-1, Integer.MIN_VALUE}) {
                byte[] header = new Frames().header(ControlFrames.PING, length).bytes();
                faults.add(new RefusedInput("negative", after, CloseReason.NEGATIVE_LENGTH, header, "" + length));
            }
        }
        for (int type = 0x80000080; type <= ControlFrames.LAST; type += 9) {
            String name = String.format(Locale.ROOT, "0x%08X", type);
            faults.add(new RefusedInput(
                    name, true, CloseReason.UNSUPPORTED, frame(type, 3), name, "HELLO", "RETRY_AFTER"));
        }
        refuseAll(setting, faults);
    }

    private static void refuseAll(Setting setting, List<RefusedInput> faults) throws Exception {
        try (TestRelay relay = TestRelay.start(setting);
                Neighbours neighbours = new Neighbours(relay)) {
            for (RefusedInput fault : faults) {
                Map<CloseReason, Long> expected = new EnumMap<>(CloseReason.class);
                expected.putAll(relay.stats().closes());
                expected.merge(fault.reason(), 1L, Long::sum);
                try (SpeakingSubscriber bad = relay.speaker(NOTHING)) {
                    if (fault.afterHello()) {
                        bad.hello(HelloFrame.subscriber()).awaitWelcome();
                    }
                    bad.send(ByteBuffer.wrap(fault.bytes()));
                    Scene.assertError(bad, fault.reason(), fault.words());
                    assertThat(bad.account().wrong()).as(fault.name()).isNull();
                }
                assertThat(relay.stats().closes()).as(fault.name()).isEqualTo(expected);
            }
            neighbours.assertUnaffected();
        }
    }

    /** Types that need not be understood are passed over, whatever is in them and however long they are. */
    @Over.Sockets
    void whatIsPassedOver(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting);
                SpeakingSubscriber subscriber = relay.speaker(NOTHING)) {
            subscriber.hello(HelloFrame.subscriber()).awaitWelcome();
            Frames frames = new Frames().frame(0x80000000, 0);
            for (int type = ControlFrames.RETRY_AFTER + 1; type < 0x80000080; type++) {
                frames.frame(type, type & 63);
            }
            frames.frame(0x8000007F, ControlFrames.MAX_CONTROL_BODY);
            // A PONG that nobody asked for, and one of a later version.
            frames.frame(ControlFrames.PONG, 8).frame(ControlFrames.PONG, 100);
            subscriber.send(frames.buffer()).ping(4711);
            assertThat(subscriber.awaitSaid(ControlFrames.PONG, 1).body().getLong())
                    .isEqualTo(4711);
            assertThat(subscriber.end()).isNull();
            assertThat(relay.stats().closes()).isEmpty();
        }
    }

    /** Who says ERROR ends the connection: it is told nothing more, and nothing behind it is taken. */
    @Over.Sockets
    void anErrorOfTheSubscriberEndsIt(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting);
                Neighbours neighbours = new Neighbours(relay);
                SpeakingSubscriber subscriber = relay.speaker(NOTHING)) {
            subscriber.hello(HelloFrame.subscriber()).awaitWelcome();
            // An unknown code, and text that is none; what comes behind it would be refused.
            Frames frames = new Frames().header(ControlFrames.ERROR, 5);
            frames.raw((byte) 0xFF, (byte) 1, (byte) 27, (byte) -1, (byte) 10).frame(ControlFrames.WELCOME, 0);
            subscriber.send(frames.buffer());
            relay.awaitClosed(CloseReason.PEER_CLOSED, 1);
            Await.until("the end of the stream", () -> subscriber.end() != null);
            assertThat(subscriber.account().said(ControlFrames.ERROR)).isEmpty();
            assertThat(relay.stats().closes()).hasSize(1);
            neighbours.assertUnaffected();
        }
    }

    /** Cut at every byte: counted as what it is, and nothing is said to who is gone. */
    @Over.Sockets
    void endedWithinAFrame(Setting setting) throws Exception {
        byte[] hello = hello(HelloFrame.subscriber().name("cut"));
        byte[] both = new Frames().raw(hello).frame(ControlFrames.PING, 24).bytes();
        try (TestRelay relay = TestRelay.start(setting);
                Neighbours neighbours = new Neighbours(relay)) {
            int truncated = 0;
            int whole = 0;
            for (int cut = 0; cut < both.length; cut++) {
                try (PlainPublisher raw = PlainPublisher.connect(relay.subscribe())) {
                    raw.send(ByteBuffer.wrap(both, 0, cut)).halfClose();
                    ByteBuffer answer = raw.readToEnd();
                    // At most WELCOME, in full.
                    int welcome = answer.hasRemaining() ? 8 + answer.getInt(4) : 0;
                    assertThat(answer.remaining()).as("cut at %d", cut).isEqualTo(welcome);
                }
                if (cut == 0 || cut == hello.length) {
                    relay.awaitClosed(CloseReason.PEER_CLOSED, ++whole);
                } else {
                    relay.awaitClosed(CloseReason.TRUNCATED_FRAME, ++truncated);
                }
            }
            assertThat(relay.stats().closes()).hasSize(2);
            neighbours.assertUnaffected();
        }
    }
}
