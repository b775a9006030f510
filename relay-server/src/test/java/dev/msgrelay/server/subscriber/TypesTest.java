package dev.msgrelay.server.subscriber;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.SubscribeFrame;
import dev.msgrelay.protocol.SubscribedFrame;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.harness.Account;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Numbered;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.SpeakingSubscriber;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Who wants some types gets those, whole and in order, knows their numbers if it wants to, and may change its mind. */
class TypesTest {
    private static final int TYPES = 100;
    private static final TypeRanges NONE = TypeRanges.of(TYPES, Integer.MAX_VALUE);
    private static final TypeRanges HALF = TypeRanges.of(-5, 9, 20, 29, 40, 49, 60, 69, 80, 89);
    private static final TypeRanges FEW = TypeRanges.of(7, 7);

    private static Numbered messages(Setting setting, int types, int... sizes) {
        return new Numbered(Seeds.random("TypesTest " + setting), types, sizes);
    }

    private static SpeakingSubscriber welcomed(Scene scene, TypeRanges types) throws Exception {
        return scene.welcomed(SpeakingSubscriber.numbered(types));
    }

    /** All sizes at which something changes: copied together, over 8 KiB, over 64 KiB, over a chunk of 512 KiB. */
    @Over.Loops
    void eachGetsItsOwn(Setting setting) throws Exception {
        for (int[] sizes : new int[][] {{40}, {40, 300, 1500, 8192, 8200}, {100, 100, 20_000, 100_000, 600_000}}) {
            try (Scene scene = Scene.of(setting, messages(setting, TYPES, sizes), b -> b.set(MAX_BODY, 600_000)
                    .set(SLOW_SUBSCRIBER, Policy.BACKPRESSURE))) {
                SpeakingSubscriber everything = welcomed(scene, TypeRanges.ALL);
                SpeakingSubscriber half = welcomed(scene, HALF);
                SpeakingSubscriber few = welcomed(scene, FEW);
                SpeakingSubscriber none = welcomed(scene, NONE);
                SpeakingSubscriber uncounted =
                        scene.welcomed(HelloFrame.subscriber().types(HALF));
                // So many that of the large ones, too, some are left out between two that are wanted.
                long end = scene.publisher.publishBytes(4 << 20).next();
                Scene.assertComplete(end, everything);
                assertThat(everything.account().sequenceFrames()).isZero();
                settle(half, HALF, 0, end);
                settle(few, FEW, 0, end);
                settle(none, NONE, 0, end);
                settle(uncounted, HALF, 0, end);
                Scene.assertComplete(end, half, few, none, uncounted);
                // Each was checked to stand where the count would have been wrong; here that there are such places.
                assertThat(half.account().sequenceFrames()).isPositive();
                assertThat(few.account().sequenceFrames())
                        .isLessThanOrEqualTo((int) few.account().count());
                assertThat(none.account().sequenceFrames()).isZero();
                assertThat(none.account().count()).isZero();
                assertThat(uncounted.account().sequenceFrames()).isZero();
                assertThat(uncounted.account().count()).isEqualTo(half.account().count());
                assertThat(scene.relay.stats().closes()).isEmpty();
            }
        }
    }

    /** What was asked for still holds when the types change while messages flow, from the very message that is told. */
    @Over.Pairs
    void changesWhileTrafficFlows(Setting setting) throws Exception {
        Random random = Seeds.random("TypesTest.changesWhileTrafficFlows " + setting);
        List<TypeRanges> choices = List.of(TypeRanges.ALL, HALF, FEW, NONE);
        try (Scene scene = Scene.small(
                setting,
                messages(setting, TYPES, 40, 40, 300, 8300, 70_000),
                b -> b.set(SLOW_SUBSCRIBER, Policy.BACKPRESSURE))) {
            SpeakingSubscriber plain = scene.speaker();
            scene.relay.awaitSubscribers(1);
            SpeakingSubscriber counting = welcomed(scene, HALF);
            SpeakingSubscriber uncounted = scene.welcomed(HelloFrame.subscriber());
            scene.flood();
            int answers = 0;
            TypeRanges types = HALF;
            for (int change = 0; change < 20; change++) {
                for (int i = change % 5 == 0 ? 1 + random.nextInt(5) : 1; i > 0; i--) {
                    types = choices.get(random.nextInt(choices.size()));
                    answers++;
                    counting.subscribe(answers, types);
                    uncounted.subscribe(answers, types);
                }
                counting.awaitSaid(ControlFrames.SUBSCRIBED, answers);
                // PONG says nothing of where the stream stands, and must not pass for it.
                counting.ping(change).awaitSaid(ControlFrames.PONG, change + 1);
                uncounted.awaitSaid(ControlFrames.SUBSCRIBED, answers);
                scene.awaitFlood(1_000);
            }
            long end = scene.endFlood();
            settle(counting, types, answers, end);
            settle(uncounted, types, answers, end);
            Scene.assertComplete(end, counting, uncounted);
            assertThat(counting.account().missed()).isZero();
            // The neighbour has not noticed anything.
            Await.until(() -> "everything: " + plain, () -> plain.account().plainNext() == end);
            assertThat(plain.account().plainGaps()).isZero();
            assertThat(plain.account().wrong()).isNull();
            assertThat(plain.account().said()).isEmpty();
        }
    }

    /** Asks for the same types again, until the answer comes behind all messages before {@code end}. */
    private static void settle(SpeakingSubscriber subscriber, TypeRanges types, int answers, long end)
            throws Exception {
        long stands = 0;
        for (int request = answers + 1; stands < end; request++) {
            SubscribedFrame answer = SubscribedFrame.decode(subscriber
                    .subscribe(request, types)
                    .awaitSaid(ControlFrames.SUBSCRIBED, request)
                    .body());
            assertThat(answer.request()).isEqualTo(request);
            stands = answer.sequence();
        }
    }

    private static int request(Account.Said answer) {
        try {
            return SubscribedFrame.decode(answer.body()).request();
        } catch (FrameException e) {
            throw new AssertionError(e);
        }
    }

    @Over.Pairs
    void manyAtOnce(Setting setting) throws Exception {
        TypeRanges last = TypeRanges.of(0, 49);
        for (int many : new int[] {1, 16, 17, 100, 3000}) {
            try (Scene scene = Scene.of(setting, messages(setting, TYPES, 100))) {
                SpeakingSubscriber subscriber = scene.speaker();
                // Right behind HELLO, in one write.
                HelloFrame hello = SpeakingSubscriber.numbered(TypeRanges.ALL).build();
                subscriber.account().begin(hello);
                ByteBuffer all = ByteBuffer.allocate(100 + many * 24).put(hello.encode());
                for (int request = 1; request <= many; request++) {
                    TypeRanges types = request == many ? last : FEW;
                    subscriber.account().requested(request, types);
                    all.put(new SubscribeFrame(request, types).encode());
                }
                subscriber.send(all.flip());
                subscriber.awaitSaid(ControlFrames.SUBSCRIBED, many);
                assertThat(subscriber.account().said(ControlFrames.SUBSCRIBED))
                        .extracting(TypesTest::request)
                        .startsWith(IntStream.rangeClosed(1, many).boxed().toArray(Integer[]::new));
                scene.publisher.publish(300);
                settle(subscriber, last, many, 301);
                subscriber.account().assertCompleteUpTo(301);
            }
        }
    }

    @Over.Sockets
    void asManyRangesAsThereMayBe(Setting setting) throws Exception {
        int[] bounds = IntStream.range(0, TypeRanges.MAX_RANGES)
                .flatMap(i -> IntStream.of(4 * i, 4 * i + 1))
                .toArray();
        TypeRanges most = TypeRanges.of(bounds);
        assertThat(most.count()).isEqualTo(1024);
        try (Scene scene = Scene.of(setting, messages(setting, 5000, 100))) {
            SpeakingSubscriber atHello =
                    scene.welcomed(SpeakingSubscriber.numbered(most).fromEarliest());
            SpeakingSubscriber later = welcomed(scene, NONE);
            for (long end : new long[] {1001, 2001}) {
                scene.publisher.publish(1000);
                for (SpeakingSubscriber s : List.of(atHello, later)) {
                    settle(s, most, s.account().said(ControlFrames.SUBSCRIBED).size(), end);
                }
            }
            Scene.assertComplete(2001, atHello, later);
            assertThat(atHello.account().count()).isPositive();
            for (int count : new int[] {1025, 65_535}) {
                SpeakingSubscriber greedy = scene.welcomed(HelloFrame.subscriber());
                int body = Math.min(8 + 8 * count, ControlFrames.MAX_CONTROL_BODY);
                ByteBuffer frame = ByteBuffer.allocate(8 + body)
                        .putInt(ControlFrames.SUBSCRIBE)
                        .putInt(body)
                        .putInt(1)
                        .putShort((short) count);
                greedy.send(frame.rewind());
                Scene.assertError(greedy, CloseReason.MALFORMED_CONTROL, "" + count, "1024");
            }
            assertThat(scene.relay.closed(CloseReason.MALFORMED_CONTROL)).isEqualTo(2);
        }
    }

    /** Of a filtered subscriber that gets nothing PING tells that nothing is missing. */
    @Over.Sockets
    void pingTellsWhatWasLeftOut(Setting setting) throws Exception {
        try (Scene scene =
                Scene.of(setting, messages(setting, TYPES, 100), b -> b.set(HEARTBEAT, Duration.ofMillis(100)))) {
            SpeakingSubscriber subscriber = welcomed(scene, NONE);
            scene.publisher.publish(1000);
            subscriber.awaitNext(1001);
            List<Account.Said> pings = subscriber.account().said(ControlFrames.PING);
            ByteBuffer last = pings.get(pings.size() - 1).body();
            assertThat(PingFrame.next(last)).isEqualTo(1001);
            assertThat(PingFrame.head(last)).isEqualTo(1000);
            assertThat(subscriber.account().count()).isZero();
        }
    }
}
