package dev.msgrelay.server.subscriber;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.server.config.RelayOption;
import dev.msgrelay.server.config.StreamConfig;
import dev.msgrelay.server.harness.Account;
import dev.msgrelay.server.harness.Numbered;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.SpeakingSubscriber;
import dev.msgrelay.server.harness.TestRelay;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Where a subscriber's stream starts, to the message: each message carries its sequence, and the count agrees with it.
 */
class StartTest {
    private static final int MAX_BODY = 600_000;

    @Over.Pairs
    void aSequenceThatIsHeld(Setting setting) throws Exception {
        Random random = Seeds.random("StartTest " + setting);
        // Many to a packet, larger than a packet, over 8 and 64 KiB, over a chunk of the log.
        Numbered messages = new Numbered(random, 5, 60, 60, 60, 300, 300, 4000, 20_000, 100_000);
        Numbered large = new Numbered(random, 5, MAX_BODY, 100);
        for (Numbered sizes : List.of(messages, large)) {
            try (Scene scene = Scene.of(setting, sizes, b -> b.set(RelayOption.MAX_BODY, MAX_BODY))) {
                long end = scene.fill(2 << 20);
                for (long sequence : worthTrying(sizes, end, random)) {
                    try (SpeakingSubscriber subscriber = scene.relay.speaker(sizes)) {
                        subscriber.hello(HelloFrame.subscriber().fromSequence(0, sequence));
                        assertThat(subscriber.awaitWelcome().next()).isEqualTo(sequence);
                        Scene.assertNoGap(end, subscriber);
                        assertThat(subscriber.account().count()).isEqualTo(end - sequence);
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

    @Over.Sockets
    void liveEarliestAndBeyond(Setting setting) throws Exception {
        Numbered messages = new Numbered(Seeds.random("StartTest " + setting), 5, 60, 2000);
        try (Scene scene = Scene.of(setting, messages)) {
            // Of an empty stream all of them are the first message.
            SpeakingSubscriber first = scene.greeting(HelloFrame.subscriber().fromSequence(0, 1));
            assertThat(first.awaitWelcome().next()).isEqualTo(1);
            liveAndEarliest(scene, 1);
            Scene.assertComplete(101, first);
            for (long beyond : new long[] {102, Long.MAX_VALUE}) {
                SpeakingSubscriber refused =
                        scene.greeting(HelloFrame.subscriber().fromSequence(0, beyond));
                Scene.assertError(refused, CloseReason.BAD_START, "" + beyond, "101");
                assertThat(refused.account().said(ControlFrames.WELCOME)).isEmpty();
            }
            assertThat(scene.relay.closed(CloseReason.BAD_START)).isEqualTo(2);
            liveAndEarliest(scene, 101);
        }
    }

    private static void liveAndEarliest(Scene scene, long next) throws Exception {
        SpeakingSubscriber live = scene.greeting(HelloFrame.subscriber());
        SpeakingSubscriber earliest = scene.greeting(HelloFrame.subscriber().fromEarliest());
        assertThat(live.awaitWelcome().next()).isEqualTo(next);
        assertThat(earliest.awaitWelcome().next()).isEqualTo(1);
        scene.publisher.publish(100);
        Scene.assertComplete(next + 100, live, earliest);
        assertThat(earliest.account().count()).isEqualTo(next + 99);
    }

    @Over.Sockets
    void anotherEpoch(Setting setting) throws Exception {
        Numbered messages = new Numbered(Seeds.random("StartTest " + setting), 5, 60, 2000);
        try (Scene scene = Scene.small(setting, messages, b -> b)) {
            scene.publisher.publish(10);
            scene.relay.awaitMessagesIn(10);
            // The number is none of this stream, and does not matter.
            Scene.assertNoGap(11, welcomedAnew(scene, 1_000_000));
            long end = scene.fill(2L * TestRelay.SMALL_LOG);
            SpeakingSubscriber subscriber = welcomedAnew(scene, 5);
            Scene.assertComplete(end, subscriber);
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

            long epoch = subscriber.account().welcome().epoch();
            SpeakingSubscriber same = scene.greeting(HelloFrame.subscriber().fromSequence(epoch, end));
            assertThat(same.awaitWelcome().epochChanged()).isFalse();
            assertThat(same.account().next()).isEqualTo(end);
        }
    }

    /** One that names another life of the stream: it is told so, and starts with the first message. */
    private static SpeakingSubscriber welcomedAnew(Scene scene, long sequence) throws Exception {
        SpeakingSubscriber subscriber = scene.greeting(HelloFrame.subscriber().fromSequence(4711, sequence));
        WelcomeFrame welcome = subscriber.awaitWelcome();
        assertThat(welcome.epochChanged()).isTrue();
        assertThat(welcome.next()).isEqualTo(1);
        return subscriber;
    }
}
