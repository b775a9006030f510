package dev.msgrelay.server.subscriber;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.SubscribedFrame;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.harness.Account;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Numbered;
import dev.msgrelay.server.harness.NumberedPublisher;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.SpeakingSubscriber;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.Workers;
import dev.msgrelay.server.ops.Counter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Who wants some types gets those, whole and in order, knows their numbers if it wants to, and may change its mind. */
class TypesTest {
    private static final int TYPES = 100;
    private static final TypeRanges NONE = TypeRanges.of(TYPES, Integer.MAX_VALUE);
    private static final TypeRanges HALF = TypeRanges.of(-5, 9, 20, 29, 40, 49, 60, 69, 80, 89);
    private static final TypeRanges FEW = TypeRanges.of(7, 7);

    /** All sizes at which something changes: copied together, over 8 KiB, over 64 KiB, over a chunk of 512 KiB. */
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#oneAndTwoLoops")
    void eachGetsItsOwn(Setting setting) throws Exception {
        Random random = Seeds.random("TypesTest " + setting);
        for (int[] sizes : new int[][] {{40}, {40, 300, 1500, 8192, 8200}, {100, 100, 20_000, 100_000, 600_000}}) {
            Numbered messages = new Numbered(random, TYPES, sizes);
            try (TestRelay relay =
                            TestRelay.start(setting, b -> b.maxBody(600_000).slowSubscriber(Policy.BACKPRESSURE));
                    NumberedPublisher publisher = new NumberedPublisher(relay, messages);
                    SpeakingSubscriber everything = relay.speaker(messages);
                    SpeakingSubscriber half = relay.speaker(messages);
                    SpeakingSubscriber few = relay.speaker(messages);
                    SpeakingSubscriber none = relay.speaker(messages);
                    SpeakingSubscriber uncounted = relay.speaker(messages)) {
                everything.hello(SpeakingSubscriber.numbered(TypeRanges.ALL)).awaitWelcome();
                half.hello(SpeakingSubscriber.numbered(HALF)).awaitWelcome();
                few.hello(SpeakingSubscriber.numbered(FEW)).awaitWelcome();
                none.hello(SpeakingSubscriber.numbered(NONE)).awaitWelcome();
                uncounted.hello(HelloFrame.subscriber().types(HALF)).awaitWelcome();
                // So many that of the large ones, too, some are left out between two that are wanted.
                publisher.publishBytes(4 << 20);
                long end = publisher.next();
                everything.awaitNext(end).account().assertCompleteUpTo(end);
                assertThat(everything.account().sequenceFrames()).isZero();
                settle(half, HALF, 0, end);
                settle(few, FEW, 0, end);
                settle(none, NONE, 0, end);
                settle(uncounted, HALF, 0, end);
                for (SpeakingSubscriber filtered : List.of(half, few, none, uncounted)) {
                    filtered.account().assertCompleteUpTo(end);
                }
                // Each was checked to stand where the count would have been wrong; here that there are such places.
                assertThat(half.account().sequenceFrames()).isPositive();
                assertThat(few.account().sequenceFrames())
                        .isLessThanOrEqualTo((int) few.account().count());
                assertThat(none.account().sequenceFrames()).isZero();
                assertThat(none.account().count()).isZero();
                assertThat(uncounted.account().sequenceFrames()).isZero();
                assertThat(uncounted.account().count()).isEqualTo(half.account().count());
                assertThat(relay.stats().closes()).isEmpty();
            }
        }
    }

    /** What was asked for still holds when the types change while messages flow, from the very message that is told. */
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#pairs")
    void changesWhileTrafficFlows(Setting setting) throws Exception {
        Random random = Seeds.random("TypesTest " + setting);
        Numbered messages = new Numbered(random, TYPES, 40, 40, 300, 8300, 70_000);
        List<TypeRanges> choices = List.of(TypeRanges.ALL, HALF, FEW, NONE);
        Workers workers = new Workers();
        try (TestRelay relay = TestRelay.small(setting, Policy.BACKPRESSURE);
                NumberedPublisher publisher = new NumberedPublisher(relay, messages);
                SpeakingSubscriber counting = relay.speaker(messages);
                SpeakingSubscriber uncounted = relay.speaker(messages);
                SpeakingSubscriber plain = relay.speaker(messages)) {
            relay.awaitSubscribers(3);
            counting.hello(SpeakingSubscriber.numbered(HALF)).awaitWelcome();
            uncounted.hello(HelloFrame.subscriber()).awaitWelcome();
            publisher.publishOn(workers);
            int answers = 0;
            TypeRanges types = HALF;
            for (int change = 0; change < 20; change++) {
                int atOnce = change % 5 == 0 ? 1 + random.nextInt(5) : 1;
                for (int i = 0; i < atOnce; i++) {
                    types = choices.get(random.nextInt(choices.size()));
                    answers++;
                    counting.subscribe(answers, types);
                    uncounted.subscribe(answers, types);
                }
                counting.awaitSaid(ControlFrames.SUBSCRIBED, answers);
                // PONG says nothing of where the stream stands, and must not pass for it.
                counting.ping(change).awaitSaid(ControlFrames.PONG, change + 1);
                uncounted.awaitSaid(ControlFrames.SUBSCRIBED, answers);
                long before = publisher.next();
                Await.until("traffic between two changes", () -> publisher.next() > before + 10 || workers.failed());
            }
            publisher.stop();
            workers.join();
            long end = publisher.next();
            settle(counting, types, answers, end);
            settle(uncounted, types, answers, end);
            counting.account().assertCompleteUpTo(end);
            uncounted.account().assertCompleteUpTo(end);
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

    /** Each is answered, in order, and the last one holds; also more of them than are kept, or than fit into one write. */
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#pairs")
    void manyAtOnce(Setting setting) throws Exception {
        Numbered messages = new Numbered(Seeds.random("TypesTest " + setting), TYPES, 100);
        for (int many : new int[] {1, 16, 17, 100, 3000}) {
            try (TestRelay relay = TestRelay.start(setting);
                    NumberedPublisher publisher = new NumberedPublisher(relay, messages);
                    SpeakingSubscriber subscriber = relay.speaker(messages)) {
                // Right behind HELLO, in one write.
                HelloFrame hello = SpeakingSubscriber.numbered(TypeRanges.ALL).build();
                subscriber.account().begin(hello);
                ByteBuffer all = ByteBuffer.allocate(100 + many * 24).put(hello.encode());
                for (int request = 1; request <= many; request++) {
                    subscriber.account().requested(request, FEW);
                    all.putInt(ControlFrames.SUBSCRIBE)
                            .putInt(8 + 8)
                            .putInt(request)
                            .putInt(1 << 16)
                            .putInt(request == many ? 0 : 7)
                            .putInt(request == many ? 49 : 7);
                }
                subscriber.account().requested(many, TypeRanges.of(0, 49));
                subscriber.send(all.flip());
                subscriber.awaitSaid(ControlFrames.SUBSCRIBED, many);
                List<Account.Said> answers = subscriber.account().said(ControlFrames.SUBSCRIBED);
                for (int request = 1; request <= many; request++) {
                    assertThat(SubscribedFrame.decode(answers.get(request - 1).body())
                                    .request())
                            .isEqualTo(request);
                }
                publisher.publish(300);
                settle(subscriber, TypeRanges.of(0, 49), many, 301);
                subscriber.account().assertCompleteUpTo(301);
            }
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void asManyRangesAsThereMayBe(Setting setting) throws Exception {
        Numbered messages = new Numbered(Seeds.random("TypesTest " + setting), 5000, 100);
        int[] bounds = new int[2 * TypeRanges.MAX_RANGES];
        for (int i = 0; i < TypeRanges.MAX_RANGES; i++) {
            bounds[2 * i] = 4 * i;
            bounds[2 * i + 1] = 4 * i + 1;
        }
        TypeRanges most = TypeRanges.of(bounds);
        assertThat(most.count()).isEqualTo(1024);
        try (TestRelay relay = TestRelay.start(setting);
                NumberedPublisher publisher = new NumberedPublisher(relay, messages);
                SpeakingSubscriber atHello = relay.speaker(messages);
                SpeakingSubscriber later = relay.speaker(messages)) {
            atHello.hello(SpeakingSubscriber.numbered(most).fromEarliest()).awaitWelcome();
            later.hello(SpeakingSubscriber.numbered(NONE)).awaitWelcome();
            publisher.publish(1000);
            settle(atHello, most, 0, 1001);
            settle(later, most, 0, 1001);
            publisher.publish(1000);
            settle(
                    atHello,
                    most,
                    atHello.account().said(ControlFrames.SUBSCRIBED).size(),
                    2001);
            settle(later, most, later.account().said(ControlFrames.SUBSCRIBED).size(), 2001);
            atHello.account().assertCompleteUpTo(2001);
            later.account().assertCompleteUpTo(2001);
            assertThat(atHello.account().count()).isPositive();
            for (int count : new int[] {1025, 65_535}) {
                try (SpeakingSubscriber greedy = relay.speaker(messages)) {
                    greedy.hello(HelloFrame.subscriber()).awaitWelcome();
                    int body = Math.min(8 + 8 * count, ControlFrames.MAX_CONTROL_BODY);
                    ByteBuffer frame = ByteBuffer.allocate(8 + body)
                            .putInt(ControlFrames.SUBSCRIBE)
                            .putInt(body)
                            .putInt(1)
                            .putShort((short) count);
                    greedy.send(frame.rewind());
                    PlainPublisher.Error error = greedy.awaitError();
                    assertThat(error.code()).isEqualTo(CloseReason.MALFORMED_CONTROL.code());
                    assertThat(error.text()).contains("" + count).contains("1024");
                }
            }
            assertThat(relay.closed(CloseReason.MALFORMED_CONTROL)).isEqualTo(2);
        }
    }

    /** What was handed on is counted, not what was looked at, and of control frames nothing. */
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#oneAndTwoLoops")
    void whatIsCounted(Setting setting) throws Exception {
        Numbered messages = new Numbered(Seeds.random("TypesTest " + setting), TYPES, 100, 10_000);
        try (TestRelay relay = TestRelay.start(setting);
                NumberedPublisher publisher = new NumberedPublisher(relay, messages);
                SpeakingSubscriber subscriber = relay.speaker(messages)) {
            subscriber.hello(SpeakingSubscriber.numbered(HALF)).awaitWelcome();
            publisher.publish(500);
            settle(subscriber, HALF, 0, 501);
            long count = 0;
            long bytes = 0;
            for (long sequence = 1; sequence <= 500; sequence++) {
                if (HALF.contains(messages.type(sequence))) {
                    count++;
                    bytes += 8 + messages.length(sequence);
                }
            }
            assertThat(subscriber.account().count()).isEqualTo(count);
            assertThat(relay.stats().get(Counter.MESSAGES_OUT)).isEqualTo(count);
            assertThat(relay.stats().get(Counter.BYTES_OUT)).isEqualTo(bytes);
        }
    }

    /** Of a filtered subscriber that gets nothing PING tells that nothing is missing. */
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void pingTellsWhatWasLeftOut(Setting setting) throws Exception {
        Numbered messages = new Numbered(Seeds.random("TypesTest " + setting), TYPES, 100);
        try (TestRelay relay = TestRelay.start(setting, b -> b.heartbeat(Duration.ofMillis(100)));
                NumberedPublisher publisher = new NumberedPublisher(relay, messages);
                SpeakingSubscriber subscriber = relay.speaker(messages)) {
            subscriber.hello(SpeakingSubscriber.numbered(NONE)).awaitWelcome();
            publisher.publish(1000);
            subscriber.awaitNext(1001);
            List<Account.Said> pings = new ArrayList<>(subscriber.account().said(ControlFrames.PING));
            ByteBuffer last = pings.get(pings.size() - 1).body();
            assertThat(PingFrame.next(last)).isEqualTo(1001);
            assertThat(PingFrame.head(last)).isEqualTo(1000);
            assertThat(subscriber.account().count()).isZero();
        }
    }
}
