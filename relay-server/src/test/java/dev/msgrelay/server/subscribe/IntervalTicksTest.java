package dev.msgrelay.server.subscribe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.PongFrame;
import dev.msgrelay.protocol.SubscribeFrame;
import dev.msgrelay.protocol.SubscribedFrame;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Policies;
import dev.msgrelay.server.stream.LogReader;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** When a subscriber with an interval gets what, by a clock that only the test moves. */
class IntervalTicksTest {
    private static final int INTERVAL = 500;
    private static final int BODY = 100;
    private static final int TYPES = 10;

    /** More than it takes to get the state. */
    private static final int CYCLES = 10;

    @AutoClose
    private final FanoutRig rig = FanoutRig.withState();

    private FanoutRig.Subscriber every(int millis, HelloFrame.Builder hello) {
        FanoutRig.Subscriber subscriber = rig.joined(hello.policy(Policy.LATEST).intervalMillis(millis));
        rig.cycles(CYCLES);
        return subscriber;
    }

    /** One that has begun, and of which the test has seen what it was told then. */
    private FanoutRig.Subscriber waiting(int millis) {
        FanoutRig.Subscriber subscriber = every(millis, HelloFrame.subscriber());
        take(subscriber);
        return subscriber;
    }

    private void pass(int millis) {
        rig.clock.advanceMillis(millis);
        rig.cycles(CYCLES);
    }

    /** Time passes, and the timeouts are looked at, as they are a few times a second. */
    private void passAndLook(int millis) {
        rig.clock.advanceMillis(millis);
        rig.group.tick(rig.clock.nanoTime());
        rig.cycles(CYCLES);
    }

    /** What a subscriber was told since the last call: the number of messages, and its control frames. */
    private record Part(long messages, List<Control> controls) {
        List<String> words() {
            return controls.stream().map(Part::word).toList();
        }

        private static String word(Control control) {
            return switch (control.type()) {
                case ControlFrames.WELCOME -> "WELCOME " + control.next();
                case ControlFrames.GAP -> {
                    assertThat(GapFrame.reason(control.body())).isEqualTo(GapReason.SUPERSEDED.code());
                    yield "GAP " + GapFrame.from(control.body()) + ".." + GapFrame.to(control.body());
                }
                case ControlFrames.PING ->
                    "PING " + PingFrame.next(control.body()) + " head " + PingFrame.head(control.body());
                default -> ControlFrames.name(control.type()).replaceFirst(" .*", "");
            };
        }
    }

    private Part take(FanoutRig.Subscriber subscriber) {
        Told told = new Told().add(subscriber.wire.take());
        return new Part(told.count(), told.controls);
    }

    private void assertNothing(FanoutRig.Subscriber subscriber) {
        Part part = take(subscriber);
        assertThat(part.words()).isEmpty();
        assertThat(part.messages()).isZero();
    }

    static Stream<HelloFrame.Builder> starts() {
        return Stream.of(
                HelloFrame.subscriber(),
                HelloFrame.subscriber().fromEarliest(),
                HelloFrame.subscriber().fromSequence(FanoutRig.EPOCH, 3),
                HelloFrame.subscriber().fromState(0, 0),
                HelloFrame.subscriber().fromState(FanoutRig.EPOCH, 3));
    }

    /** Each start gets since(next - 1) at once, up to the head, and the rest of the stream by ticks. */
    @ParameterizedTest
    @MethodSource("starts")
    void itBeginsAtOnce(HelloFrame.Builder start) throws Exception {
        rig.clock.advanceMillis(120);
        rig.publishMany(TYPES, BODY);
        FanoutRig.Subscriber reader = every(INTERVAL, start);
        Part first = take(reader);
        WelcomeFrame welcome = WelcomeFrame.decode(first.controls().get(0).body());
        assertThat(welcome.policy()).isEqualTo(Policy.LATEST);
        assertThat(welcome.grants(Features.INTERVAL)).isTrue();
        assertThat(welcome.intervalMillis()).isEqualTo(INTERVAL);
        assertThat(first.messages()).isEqualTo(TYPES + 1 - welcome.next());
        assertThat(first.words()).startsWith("WELCOME " + welcome.next()).endsWith("PING 11 head 10");
        rig.publish(7, BODY);
        pass(INTERVAL - 121);
        assertNothing(reader);
        pass(1);
        Part second = take(reader);
        assertThat(second.messages()).isEqualTo(1);
        assertThat(second.words()).containsExactly("PING 12 head 11");
        assertThat(rig.sum(Counter.STATE_CONFLATIONS)).isZero();
        assertThat(rig.sum(Counter.STATE_CONFLATED)).isZero();
        assertThat(rig.sum(Counter.STATE_TICKS_MISSED)).isZero();
    }

    /** Of each type the newest alone, and every number told of. */
    @Test
    void aTickHasTheNewestOfEachType() {
        FanoutRig.Subscriber reader = waiting(INTERVAL);
        for (int i = 0; i < 3; i++) {
            rig.publishMany(TYPES, BODY);
        }
        pass(INTERVAL);
        Part part = take(reader);
        assertThat(part.messages()).isEqualTo(TYPES);
        assertThat(part.words()).containsExactly("GAP 1..20", "PING 31 head 30");
    }

    @Test
    void onlyHeartbeatsComeBetweenTwoTicks() {
        FanoutRig.Subscriber reader = waiting(3_600_000);
        rig.publishMany(TYPES, BODY);
        int heartbeat = (int) rig.services.clients().heartbeat().toMillis();
        passAndLook(0);
        for (int i = 0; i < 3; i++) {
            passAndLook(heartbeat);
            assertThat(take(reader).words()).containsExactly("PING 1 head 10");
            reader.say(pong());
        }
        assertThat(rig.closes()).isEmpty();
        for (int i = 0; i < 2; i++) {
            passAndLook((int) rig.services.clients().idleTimeout().toMillis() + 1);
        }
        assertThat(rig.closes()).as("a client that answers nothing").hasSize(1);
    }

    private static ByteBuffer pong() {
        ByteBuffer frame = ByteBuffer.allocate(64);
        PongFrame.put(frame, 1);
        return frame.flip();
    }

    @Test
    void aTickWithoutNewsSendsNothing() {
        FanoutRig.Subscriber reader = waiting(INTERVAL);
        pass(INTERVAL);
        pass(INTERVAL);
        assertNothing(reader);
        rig.publish(1, BODY);
        pass(INTERVAL / 2);
        assertNothing(reader);
        pass(INTERVAL / 2);
        assertThat(take(reader).words()).containsExactly("PING 2 head 1");
    }

    /** The count stays exact. */
    @Test
    void onlyOtherTypesHaveChanged() {
        FanoutRig.Subscriber few = every(INTERVAL, HelloFrame.subscriber().types(TypeRanges.of(3, 4)));
        take(few);
        rig.publish(1, BODY);
        rig.publish(2, BODY);
        pass(INTERVAL);
        Part part = take(few);
        assertThat(part.messages()).isZero();
        assertThat(part.words()).containsExactly("GAP 1..2", "PING 3 head 2");
    }

    /** Whenever they have come: each interval has its own ticks, at its multiples. */
    @Test
    void readersOfOneIntervalTickTogether() {
        FanoutRig.Subscriber one = waiting(INTERVAL);
        pass(333);
        FanoutRig.Subscriber other = waiting(INTERVAL);
        FanoutRig.Subscriber seldom = waiting(3 * INTERVAL);
        rig.publish(1, BODY);
        pass(INTERVAL - 334);
        assertNothing(one);
        assertNothing(other);
        pass(1);
        assertThat(take(one).messages()).isOne();
        assertThat(take(other).messages()).isOne();
        assertNothing(seldom);
        rig.publish(1, BODY);
        pass(INTERVAL);
        assertThat(take(one).messages()).isOne();
        assertThat(take(other).messages()).isOne();
        assertNothing(seldom);
        pass(INTERVAL);
        assertNothing(one);
        assertThat(take(seldom).words()).containsExactly("GAP 1..1", "PING 3 head 2");
    }

    /** It goes on to the end; the ticks that have passed meanwhile are left out. */
    @Test
    void aSlowReaderMissesTicks() {
        FanoutRig.Subscriber slow = waiting(INTERVAL);
        FanoutRig.Subscriber other = waiting(INTERVAL);
        rig.publishMany(TYPES, BODY);
        slow.block();
        for (int i = 0; i < 3; i++) {
            pass(INTERVAL);
            assertThat(take(other).messages()).isEqualTo(TYPES);
            rig.publishMany(TYPES, BODY);
        }
        slow.unblock();
        rig.cycles(CYCLES);
        Part late = take(slow);
        assertThat(late.messages()).isEqualTo(TYPES);
        assertThat(late.words()).containsExactly("PING 11 head 10");
        assertThat(rig.sum(Counter.STATE_TICKS_MISSED)).isEqualTo(2);
        pass(INTERVAL);
        Part now = take(slow);
        assertThat(now.messages()).isEqualTo(TYPES);
        assertThat(now.words()).containsExactly("GAP 11..30", "PING 41 head 40");
        assertThat(take(other).words()).containsExactly("PING 41 head 40");
        assertThat(rig.sum(Counter.STATE_TICKS_MISSED)).isEqualTo(2);
    }

    /** New types begin where the client has all of the old ones. */
    @Test
    void otherTypesAtATick() throws Exception {
        FanoutRig.Subscriber reader = every(INTERVAL, HelloFrame.subscriber().types(TypeRanges.of(1, 1)));
        take(reader);
        rig.publishMany(TYPES, BODY);
        reader.say(new SubscribeFrame(1, TypeRanges.of(1, 2)).encode());
        rig.cycles(CYCLES);
        assertNothing(reader);
        pass(INTERVAL);
        Part tick = take(reader);
        assertThat(tick.messages()).isOne();
        assertThat(tick.words()).containsExactly("GAP 1..1", "GAP 3..10", "SUBSCRIBED", "PING 11 head 10");
        assertThat(SubscribedFrame.decode(tick.controls().get(2).body()).sequence())
                .isEqualTo(11);
        rig.publishMany(TYPES, BODY);
        pass(INTERVAL);
        assertThat(take(reader).messages()).isEqualTo(2);
        // It has all there is, which is a place to choose.
        reader.say(new SubscribeFrame(2, TypeRanges.of(9, 9)).encode());
        rig.cycles(CYCLES);
        assertThat(take(reader).words()).containsExactly("SUBSCRIBED", "PING 21 head 20");
    }

    /** It waits for its tick, needs nothing of the log, and is no laggard. */
    @Test
    void theLogGoesPastItMeanwhile() {
        FanoutRig.Subscriber reader = waiting(INTERVAL);
        for (int i = 0; i < 3 * FanoutRig.LONG_LOG / (8 + BODY); i++) {
            rig.publish(i % TYPES, BODY);
        }
        rig.cycles(CYCLES);
        assertNothing(reader);
        assertThat(reader.connection.pinnedFrom()).isEqualTo(LogReader.NOTHING);
        assertThat(reader.connection.report(rig.head().position()).lagMessages())
                .isZero();
        assertThat(reader.connection.report(rig.head().position()).lagBytes()).isZero();
        assertThat(reader.connection.report(rig.head().position()).intervalMillis())
                .isEqualTo(INTERVAL);
        pass(INTERVAL);
        assertThat(take(reader).messages()).isEqualTo(TYPES);
        assertThat(rig.closes()).isEmpty();
    }

    /** A relay that ends sends what there is, and does not wait for the tick. */
    @Test
    void theEndOfTheRelayIsATick() {
        FanoutRig.Subscriber reader = waiting(3_600_000);
        rig.publishMany(TYPES, BODY);
        rig.table.drain();
        passAndLook(1);
        Part last = take(reader);
        assertThat(last.messages()).isEqualTo(TYPES);
        assertThat(last.words()).containsExactly("PING 11 head 10");
        rig.publish(1, BODY);
        rig.cycles(CYCLES);
        assertThat(take(reader).messages()).isOne();
        assertThat(reader.connection.position()).isEqualTo(rig.head().position());
    }

    /** Its identity's least one. */
    @Test
    void theIntervalIsRaised() throws Exception {
        try (FanoutRig with = FanoutRig.withState(
                TypeRanges.ALL, Policies.of("a { token = a, subscribe = all, min-interval = 2s }"))) {
            for (int wanted : new int[] {10, 1999, 2000, 2001, 3_600_000}) {
                FanoutRig.Subscriber reader = with.joined(HelloFrame.subscriber()
                        .token(Token.of("a"))
                        .policy(Policy.LATEST)
                        .intervalMillis(wanted));
                WelcomeFrame welcome =
                        WelcomeFrame.decode(reader.told().controls.get(0).body());
                assertThat(welcome.intervalMillis()).isEqualTo(Math.max(2000, wanted));
            }
        }
    }

    /** None is wanted, or the policy is not latest: it is an ordinary subscriber. */
    @Test
    void noInterval() throws Exception {
        for (HelloFrame.Builder hello : List.of(
                HelloFrame.subscriber().intervalMillis(0),
                HelloFrame.subscriber().policy(Policy.LATEST).intervalMillis(0),
                HelloFrame.subscriber().policy(Policy.LATEST))) {
            FanoutRig.Subscriber reader = rig.joined(hello);
            WelcomeFrame welcome =
                    WelcomeFrame.decode(reader.told().controls.get(0).body());
            assertThat(welcome.grants(Features.INTERVAL)).isFalse();
            rig.publish(1, BODY);
            rig.cycles(1);
            assertThat(reader.told().count()).isOne();
        }
    }
}
