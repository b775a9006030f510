package dev.msgrelay.server.subscriber;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.server.config.StreamConfig;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Where a subscriber's stream starts, to the message: each message carries its sequence, and the count agrees with it. */
class StartTest {
    private static final int MAX_BODY = 600_000;

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#pairs")
    void aSequenceThatIsHeld(Setting setting) throws Exception {
        Random random = Seeds.random("StartTest " + setting);
        // Many to a packet, larger than a packet, over 8 and 64 KiB, over a chunk of the log.
        Numbered messages = new Numbered(random, 5, 60, 60, 60, 300, 300, 4000, 20_000, 100_000);
        Numbered large = new Numbered(random, 5, MAX_BODY, 100);
        for (Numbered sizes : List.of(messages, large)) {
            try (TestRelay relay = TestRelay.start(setting, b -> b.maxBody(MAX_BODY));
                    NumberedPublisher publisher = new NumberedPublisher(relay, sizes)) {
                publisher.publishBytes(2 << 20);
                long end = publisher.next();
                relay.awaitMessagesIn(end - 1);
                for (long sequence : worthTrying(sizes, end, random)) {
                    try (SpeakingSubscriber subscriber = relay.speaker(sizes)) {
                        subscriber.hello(HelloFrame.subscriber().fromSequence(0, sequence));
                        assertThat(subscriber.awaitWelcome().next()).isEqualTo(sequence);
                        subscriber.awaitNext(end).account().assertCompleteUpTo(end);
                        assertThat(subscriber.account().count()).isEqualTo(end - sequence);
                        assertThat(subscriber.account().said(ControlFrames.GAP)).isEmpty();
                    }
                }
            }
        }
    }

    /** The first, the newest, the one to come, random ones, and those at and behind the borders of chunks. */
    private static List<Long> worthTrying(Numbered messages, long end, Random random) {
        List<Long> result = new ArrayList<>(List.of(1L, 2L, end - 1, end));
        long position = 0;
        long border = StreamConfig.CHUNK_BYTES;
        for (long sequence = 1; sequence < end; sequence++) {
            position += 8 + messages.length(sequence);
            if (position >= border) {
                result.add(sequence);
                result.add(sequence + 1);
                border += StreamConfig.CHUNK_BYTES;
            }
        }
        for (int i = 0; i < 10; i++) {
            result.add(1 + random.nextLong(end));
        }
        return result;
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void liveEarliestAndBeyond(Setting setting) throws Exception {
        Numbered messages = new Numbered(Seeds.random("StartTest " + setting), 5, 60, 2000);
        try (TestRelay relay = TestRelay.start(setting);
                NumberedPublisher publisher = new NumberedPublisher(relay, messages)) {
            // Of an empty stream all of them are the first message.
            try (SpeakingSubscriber live = relay.speaker(messages);
                    SpeakingSubscriber earliest = relay.speaker(messages);
                    SpeakingSubscriber first = relay.speaker(messages)) {
                assertThat(live.hello(HelloFrame.subscriber()).awaitWelcome().next())
                        .isEqualTo(1);
                earliest.hello(HelloFrame.subscriber().fromEarliest());
                assertThat(earliest.awaitWelcome().next()).isEqualTo(1);
                first.hello(HelloFrame.subscriber().fromSequence(0, 1));
                assertThat(first.awaitWelcome().next()).isEqualTo(1);
                publisher.publish(100);
                for (SpeakingSubscriber s : List.of(live, earliest, first)) {
                    s.awaitNext(101).account().assertCompleteUpTo(101);
                }
            }
            refused(relay, messages, 102, 101);
            refused(relay, messages, Long.MAX_VALUE, 101);
            assertThat(relay.closed(CloseReason.BAD_START)).isEqualTo(2);
            try (SpeakingSubscriber live = relay.speaker(messages);
                    SpeakingSubscriber earliest = relay.speaker(messages)) {
                assertThat(live.hello(HelloFrame.subscriber()).awaitWelcome().next())
                        .isEqualTo(101);
                earliest.hello(HelloFrame.subscriber().fromEarliest());
                assertThat(earliest.awaitWelcome().next()).isEqualTo(1);
                publisher.publish(100);
                live.awaitNext(201).account().assertCompleteUpTo(201);
                earliest.awaitNext(201).account().assertCompleteUpTo(201);
                assertThat(earliest.account().count()).isEqualTo(200);
            }
        }
    }

    private static void refused(TestRelay relay, Numbered messages, long sequence, long next) throws Exception {
        try (SpeakingSubscriber beyond = relay.speaker(messages)) {
            beyond.hello(HelloFrame.subscriber().fromSequence(0, sequence));
            PlainPublisher.Error error = beyond.awaitError();
            assertThat(error.code()).isEqualTo(CloseReason.BAD_START.code());
            assertThat(error.text()).contains("" + sequence).contains("" + next);
            assertThat(beyond.account().said(ControlFrames.WELCOME)).isEmpty();
        }
    }

    /** The log is small and has been overwritten many times, and goes on being so. */
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#pairs")
    void whatIsNoLongerHeldIsTold(Setting setting) throws Exception {
        Random random = Seeds.random("StartTest " + setting);
        Numbered messages = new Numbered(random, 5, 60, 600, 600, 9000, 70_000);
        Workers workers = new Workers();
        try (TestRelay relay = TestRelay.small(setting, Policy.SKIP);
                NumberedPublisher publisher = new NumberedPublisher(relay, messages)) {
            publisher.publishBytes(3L * TestRelay.SMALL_LOG);
            publisher.publishOn(workers);
            for (int i = 0; i < 12; i++) {
                Account account = new Account(messages);
                try (SpeakingSubscriber subscriber = SpeakingSubscriber.connect(relay.subscribe(), account)) {
                    long held = relay.stats().get(Counter.MESSAGES_IN);
                    boolean earliest = i % 4 == 0;
                    // Long gone, or about where the tail runs away at this moment.
                    long wanted = i % 4 == 1 ? 1 : Math.max(1, held - random.nextLong(held / 2));
                    HelloFrame.Builder hello = HelloFrame.subscriber();
                    subscriber.hello(earliest ? hello.fromEarliest() : hello.fromSequence(0, wanted));
                    WelcomeFrame welcome = subscriber.awaitWelcome();
                    if (!earliest) {
                        assertThat(welcome.next()).isEqualTo(wanted);
                    }
                    long enough = welcome.next() + (i % 4 == 1 ? held : 2000);
                    subscriber.awaitNext(enough);
                    List<Account.Said> gaps = account.said(ControlFrames.GAP);
                    if (i % 4 == 1) {
                        assertThat(GapFrame.from(gaps.get(0).body())).isEqualTo(1);
                        assertThat(GapFrame.reason(gaps.get(0).body())).isEqualTo(GapReason.NOT_HELD.code());
                    }
                    // Only the first may be of what was not held; later ones are of who is too slow for this publisher.
                    gaps.stream()
                            .filter(g -> earliest || g.at() != wanted)
                            .forEach(g -> assertThat(GapFrame.reason(g.body())).isEqualTo(GapReason.SLOW.code()));
                }
                account.assertCompleteUpTo(account.next());
            }
            publisher.stop();
            workers.join();
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void anotherEpoch(Setting setting) throws Exception {
        Numbered messages = new Numbered(Seeds.random("StartTest " + setting), 5, 60, 2000);
        try (TestRelay relay = TestRelay.small(setting, Policy.DISCONNECT);
                NumberedPublisher publisher = new NumberedPublisher(relay, messages)) {
            publisher.publish(10);
            relay.awaitMessagesIn(10);
            try (SpeakingSubscriber subscriber = relay.speaker(messages)) {
                // The number is none of this stream, and does not matter.
                subscriber.hello(HelloFrame.subscriber().fromSequence(4711, 1_000_000));
                WelcomeFrame welcome = subscriber.awaitWelcome();
                assertThat(welcome.epochChanged()).isTrue();
                assertThat(welcome.next()).isEqualTo(1);
                subscriber.awaitNext(11).account().assertCompleteUpTo(11);
                assertThat(subscriber.account().said(ControlFrames.GAP)).isEmpty();
            }
            publisher.publishBytes(2L * TestRelay.SMALL_LOG);
            long end = publisher.next();
            relay.awaitMessagesIn(end - 1);
            try (SpeakingSubscriber subscriber = relay.speaker(messages);
                    SpeakingSubscriber same = relay.speaker(messages)) {
                subscriber.hello(HelloFrame.subscriber().fromSequence(4711, 5));
                WelcomeFrame welcome = subscriber.awaitWelcome();
                assertThat(welcome.epochChanged()).isTrue();
                assertThat(welcome.next()).isEqualTo(1);
                subscriber.awaitNext(end).account().assertCompleteUpTo(end);
                Account.Said gap = subscriber.awaitSaid(ControlFrames.GAP, 1);
                assertThat(GapFrame.from(gap.body())).isEqualTo(1);
                assertThat(GapFrame.reason(gap.body())).isEqualTo(GapReason.NOT_HELD.code());
                // All that the log holds is there: it drops a chunk at a time, and starts with a whole packet.
                long held = 0;
                for (long sequence = GapFrame.to(gap.body()) + 1; sequence < end; sequence++) {
                    held += 8 + messages.length(sequence);
                }
                assertThat(held)
                        .isBetween(TestRelay.SMALL_LOG - StreamConfig.CHUNK_BYTES - 4096L, (long) TestRelay.SMALL_LOG);

                same.hello(HelloFrame.subscriber().fromSequence(welcome.epoch(), end));
                assertThat(same.awaitWelcome().epochChanged()).isFalse();
                assertThat(same.account().next()).isEqualTo(end);
            }
        }
    }

    /** Cut at any byte and resumed: every message once and in order, or told in a GAP. */
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#pairs")
    void resumedAfterCuts(Setting setting) throws Exception {
        Random random = Seeds.random("StartTest " + setting);
        Numbered messages = new Numbered(random, 5, 60, 60, 600, 9000, 70_000);
        Workers workers = new Workers();
        try (TestRelay relay = TestRelay.small(setting, Policy.SKIP);
                NumberedPublisher publisher = new NumberedPublisher(relay, messages)) {
            publisher.publish(10).publishOn(workers);
            Account account = new Account(messages);
            long epoch = 0;
            for (int cut = 0; cut < 40; cut++) {
                // Within WELCOME as well: then the client knows nothing more than before.
                long bytes = 1 + (cut % 4 == 0 ? random.nextInt(120) : random.nextInt(400_000));
                HelloFrame.Builder hello = HelloFrame.subscriber().policy(Policy.SKIP);
                hello = account.next() == 0 ? hello.fromEarliest() : hello.fromSequence(epoch, account.next());
                try (SpeakingSubscriber subscriber =
                        SpeakingSubscriber.connectCutAt(relay.subscribe(), account, hello, bytes)) {
                    Await.until(() -> "the cut: " + subscriber, () -> subscriber.end() != null);
                    assertThat(account.wrong()).isNull();
                    if (!account.said(ControlFrames.WELCOME).isEmpty()) {
                        epoch = account.welcome().epoch();
                        assertThat(account.welcome().epochChanged()).isFalse();
                    }
                }
            }
            publisher.stop();
            workers.join();
            // It reads once HELLO is said: what is still on its way to the log may come before.
            HelloFrame.Builder hello = HelloFrame.subscriber().fromSequence(epoch, account.next());
            try (SpeakingSubscriber subscriber =
                    SpeakingSubscriber.connectCutAt(relay.subscribe(), account, hello, Long.MAX_VALUE)) {
                subscriber.awaitNext(publisher.next()).account().assertCompleteUpTo(publisher.next());
            }
            assertThat(account.count()).isPositive();
        }
    }
}
