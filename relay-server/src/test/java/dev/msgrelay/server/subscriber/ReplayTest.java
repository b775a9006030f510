package dev.msgrelay.server.subscriber;

import static dev.msgrelay.server.harness.Stream.ENOUGH;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.access.AccessPolicy;
import dev.msgrelay.server.access.Identity;
import dev.msgrelay.server.access.Network;
import dev.msgrelay.server.access.TokenHash;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.harness.Account;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Certificates;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Numbered;
import dev.msgrelay.server.harness.NumberedPublisher;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.SpeakingSubscriber;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.TlsBridge;
import dev.msgrelay.server.harness.Workers;
import dev.msgrelay.server.journal.read.JournalFeed;
import dev.msgrelay.server.ops.ConnectionRow;
import dev.msgrelay.server.ops.Counter;
import dev.msgrelay.server.tls.TlsFiles;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Subscribers that get from the journal what the log no longer has: each message once, in its order, to the byte. */
class ReplayTest {
    private static final int TYPES = 10;
    private static final TypeRanges SOME = TypeRanges.of(0, 3);

    @TempDir
    private Path directory;

    private TestRelay relay(Setting setting, UnaryOperator<RelayConfig.Builder> more) throws IOException {
        return TestRelay.start(
                setting,
                b -> more.apply(b.ringSize(TestRelay.SMALL_RING)
                        .logSize(TestRelay.SMALL_LOG)
                        .maxBody(TestRelay.SMALL_MAX_BODY)
                        .heartbeat(Duration.ofMillis(200))
                        .journal(directory)
                        .journalKeep(Duration.ofDays(1))));
    }

    private static Numbered messages(Random random) {
        // Many to a packet, larger than a packet, over 8 and 64 KiB.
        return new Numbered(random, TYPES, 60, 60, 60, 300, 300, 4000, 20_000, 100_000);
    }

    private static HelloFrame.Builder from(long sequence) {
        return HelloFrame.subscriber().fromSequence(0, sequence);
    }

    /** Far more than the log has, an end of the relay, and then from the first message on: all, some types, durable ones. */
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#pairs")
    void everythingThatThereEverWas(Setting setting) throws Exception {
        Numbered messages = messages(Seeds.random("ReplayTest " + setting));
        long end;
        try (TestRelay relay = relay(setting, b -> b);
                NumberedPublisher publisher = new NumberedPublisher(relay, messages)) {
            publisher.publishBytes(3L * TestRelay.SMALL_LOG);
            end = publisher.next();
            relay.awaitMessagesIn(end - 1);
        }
        // One that is live again, and waits for a core then, is not cut off.
        try (TestRelay relay = relay(setting, b -> b.slowSubscriber(Policy.BACKPRESSURE));
                NumberedPublisher publisher = new NumberedPublisher(relay, messages, end);
                SpeakingSubscriber all = relay.speaker(messages);
                SpeakingSubscriber some = relay.speaker(messages);
                SpeakingSubscriber durable = relay.speaker(messages);
                SpeakingSubscriber unnumbered = relay.speaker(messages)) {
            all.hello(HelloFrame.subscriber().fromEarliest());
            some.hello(SpeakingSubscriber.numbered(SOME).fromEarliest());
            durable.hello(HelloFrame.subscriber().fromEarliest().level(Level.FORCED));
            unnumbered.hello(HelloFrame.subscriber().types(SOME).fromEarliest());
            // The log may overtake, and cut off, one whose HELLO has not been read yet.
            for (SpeakingSubscriber s : List.of(all, some, durable, unnumbered)) {
                assertThat(s.awaitWelcome().next()).isEqualTo(1);
            }
            publisher.publishBytes(2L * TestRelay.SMALL_LOG);
            end = publisher.next();
            for (SpeakingSubscriber s : List.of(all, some, durable, unnumbered)) {
                s.awaitNext(end).account().assertCompleteUpTo(end);
                assertThat(s.account().said(ControlFrames.GAP)).isEmpty();
            }
            assertThat(all.account().count()).isEqualTo(end - 1);
            assertThat(relay.stats().get(Counter.JOURNAL_REPLAYS_BEGUN)).isEqualTo(4);
            assertThat(relay.stats().get(Counter.JOURNAL_REPLAY_BYTES)).isPositive();
            Await.until(
                    () -> "all have caught up: " + relay.stats(),
                    () -> relay.stats().get(Counter.JOURNAL_REPLAYS) == 0);
            assertThat(relay.stats().get(Counter.JOURNAL_REPLAY_LAG_BYTES)).isZero();
            // They are live again.
            publisher.publish(20);
            end = publisher.next();
            for (SpeakingSubscriber s : List.of(all, some, durable, unnumbered)) {
                s.awaitNext(end).account().assertCompleteUpTo(end);
            }
        }
    }

    /** Joiners at random places while a publisher runs as fast as it can: from the disk to memory, and back where it is slower. */
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#oneAndTwoLoops")
    void theCrossingUnderLoad(Setting setting) throws Exception {
        Random random = Seeds.random("ReplayTest " + setting);
        Numbered messages = messages(random);
        Workers workers = new Workers();
        // Until it has said HELLO it is one that is cut off, or skips.
        try (TestRelay relay = relay(setting, b -> b.slowSubscriber(Policy.SKIP));
                NumberedPublisher publisher = new NumberedPublisher(relay, messages)) {
            publisher.publishBytes(2L * TestRelay.SMALL_LOG);
            // All of it is read by each of them: some mebibytes.
            AtomicBoolean enough = new AtomicBoolean();
            workers.start("publisher", () -> {
                while (!enough.get() && publisher.bytes() < 5L * TestRelay.SMALL_LOG) {
                    publisher.publish(20);
                }
            });
            List<SpeakingSubscriber> joined = new ArrayList<>();
            try {
                for (int i = 0; i < 4; i++) {
                    long first = 1 + random.nextLong(relay.stats().get(Counter.MESSAGES_IN));
                    SpeakingSubscriber subscriber = relay.speaker(messages);
                    joined.add(subscriber);
                    boolean some = random.nextInt(3) == 0;
                    // Live ones are too slow for this publisher now and then, and go back to the disk.
                    HelloFrame.Builder hello = from(first).policy(Policy.REPLAY);
                    subscriber.hello(some ? hello.types(SOME).features(Features.SEQUENCES) : hello);
                    assertThat(subscriber.awaitWelcome().next()).isEqualTo(first);
                    if (random.nextBoolean()) {
                        subscriber.awaitNext(
                                Math.min(relay.stats().get(Counter.MESSAGES_IN), first + random.nextInt(2000)));
                    }
                }
                enough.set(true);
                workers.join();
                long end = publisher.next();
                for (SpeakingSubscriber s : joined) {
                    s.awaitNext(end).account().assertCompleteUpTo(end);
                    assertThat(s.account().said(ControlFrames.GAP)).isEmpty();
                }
                assertThat(relay.stats().closes()).isEmpty();
            } finally {
                for (SpeakingSubscriber s : joined) {
                    s.close();
                }
            }
        }
    }

    /** Who stops reading now and then is overtaken, and has everything in the end. */
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#oneAndTwoLoops")
    void anOvertakenReaderMissesNothing(Setting setting) throws Exception {
        Numbered messages = messages(Seeds.random("ReplayTest " + setting));
        try (TestRelay relay = relay(setting, b -> b);
                NumberedPublisher publisher = new NumberedPublisher(relay, messages);
                SpeakingSubscriber all = relay.pausedSpeaker(messages);
                SpeakingSubscriber some = relay.pausedSpeaker(messages)) {
            all.hello(HelloFrame.subscriber().policy(Policy.REPLAY)).resume();
            some.hello(SpeakingSubscriber.numbered(SOME).policy(Policy.REPLAY)).resume();
            assertThat(all.awaitWelcome().policy()).isEqualTo(Policy.REPLAY);
            assertThat(some.awaitWelcome().policy()).isEqualTo(Policy.REPLAY);
            for (int pause = 0; pause < 2; pause++) {
                all.pause();
                some.pause();
                publisher.publishBytes(ENOUGH);
                all.resume();
                some.resume();
                long now = publisher.next();
                all.awaitNext(now).account().assertCompleteUpTo(now);
                some.awaitNext(now).account().assertCompleteUpTo(now);
            }
            assertThat(all.account().said(ControlFrames.GAP)).isEmpty();
            assertThat(some.account().said(ControlFrames.GAP)).isEmpty();
            assertThat(relay.stats().get(Counter.JOURNAL_REPLAYS_BEGUN)).isGreaterThanOrEqualTo(2);
            assertThat(relay.stats().get(Counter.MESSAGES_SKIPPED)).isZero();
        }
    }

    private static void publishFrames(TestRelay relay, int count, int body) throws IOException {
        try (PlainPublisher publisher = relay.publisher()) {
            for (int i = 0; i < count; i++) {
                publisher.send(new Frames().frame(i, body));
            }
            relay.awaitMessagesIn(count);
        }
    }

    /** Also one that has never said a word, where that is the relay's own policy. */
    @Test
    void aPlainReaderMissesNothing() throws Exception {
        try (TestRelay relay = relay(Setting.NIO_TCP, b -> b.slowSubscriber(Policy.REPLAY));
                PlainSubscriber plain = relay.subscriber()) {
            plain.pause();
            publishFrames(relay, 3500, 5000);
            plain.resume();
            plain.awaitMessages(3500);
            assertThat(plain.received().wrong()).isNull();
            assertThat(plain.received().count()).isEqualTo(3500);
            assertThat(relay.stats().get(Counter.JOURNAL_REPLAYS_BEGUN)).isPositive();
        }
    }

    @Test
    void aPlainReaderThatCannotGetAllIsClosed() throws Exception {
        try (TestRelay relay =
                        relay(Setting.NIO_TCP, b -> shortSegments().apply(b).slowSubscriber(Policy.REPLAY));
                PlainSubscriber plain = relay.subscriber()) {
            plain.pause();
            publishFrames(relay, 3500, 5000);
            awaitRetention();
            plain.resume();
            relay.awaitClosed(CloseReason.SLOW_SUBSCRIBER, 1);
            plain.awaitEnd();
            assertThat(plain.received().wrong()).isNull();
            assertThat(plain.received().count()).isBetween(1, 3499);
        }
    }

    /** Who does not ask for it may not know it, and is told a policy that it knows. */
    @Test
    void theRelaysOwnPolicy() throws Exception {
        Numbered messages = messages(Seeds.random("ReplayTest"));
        try (TestRelay relay = relay(
                        Setting.NIO_TCP, b -> b.slowSubscriber(Policy.REPLAY).allowPolicies(Set.of(Policy.SKIP)));
                SpeakingSubscriber old = relay.speaker(messages);
                SpeakingSubscriber asks = relay.speaker(messages);
                SpeakingSubscriber other = relay.speaker(messages)) {
            assertThat(old.hello(HelloFrame.subscriber()).awaitWelcome().policy())
                    .isEqualTo(Policy.RELAY_DEFAULT);
            assertThat(asks.hello(HelloFrame.subscriber().policy(Policy.REPLAY))
                            .awaitWelcome()
                            .policy())
                    .isEqualTo(Policy.REPLAY);
            assertThat(other.hello(HelloFrame.subscriber().policy(Policy.SKIP))
                            .awaitWelcome()
                            .policy())
                    .isEqualTo(Policy.SKIP);
        }
    }

    @Test
    void byTime() throws Exception {
        Numbered messages = messages(Seeds.random("ReplayTest"));
        try (TestRelay relay = relay(Setting.NIO_TCP, b -> b);
                NumberedPublisher publisher = new NumberedPublisher(relay, messages)) {
            long before = System.currentTimeMillis();
            List<Long> times = new ArrayList<>();
            List<Long> firsts = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                long last = System.currentTimeMillis();
                Await.until("the clock moves", () -> System.currentTimeMillis() > last + 1);
                times.add(System.currentTimeMillis());
                firsts.add(publisher.next());
                publisher.publishBytes(TestRelay.SMALL_LOG / 3);
                relay.awaitMessagesIn(publisher.next() - 1);
                Await.until("all is written", () -> relay.stats().get(Counter.JOURNAL_WRITTEN_LAG_BYTES) == 0);
            }
            long end = publisher.next();
            for (int i = 0; i < 4; i++) {
                try (SpeakingSubscriber s = relay.speaker(messages)) {
                    s.hello(HelloFrame.subscriber().fromTime(times.get(i)));
                    assertThat(s.awaitWelcome().next()).as("time %d", i).isEqualTo(firsts.get(i));
                    s.awaitNext(end).account().assertCompleteUpTo(end);
                }
            }
            for (long time : new long[] {1, before - 1_000_000}) {
                try (SpeakingSubscriber s = relay.speaker(messages)) {
                    s.hello(HelloFrame.subscriber().fromTime(time));
                    assertThat(s.awaitWelcome().next()).isEqualTo(1);
                }
            }
            for (long time : new long[] {System.currentTimeMillis() + 1_000_000, Long.MAX_VALUE}) {
                try (SpeakingSubscriber s = relay.speaker(messages)) {
                    s.hello(HelloFrame.subscriber().fromTime(time));
                    assertThat(s.awaitWelcome().next()).isEqualTo(end);
                }
            }
            try (SpeakingSubscriber s = relay.speaker(messages)) {
                s.hello(from(end + 1));
                assertThat(s.awaitError().code()).isEqualTo(CloseReason.BAD_START.code());
            }
        }
    }

    @Test
    void withoutAJournal() throws Exception {
        Numbered messages = messages(Seeds.random("ReplayTest"));
        try (TestRelay relay = TestRelay.start(Setting.NIO_TCP);
                SpeakingSubscriber byTime = relay.speaker(messages);
                SpeakingSubscriber replay = relay.speaker(messages)) {
            byTime.hello(HelloFrame.subscriber().fromTime(1));
            assertThat(byTime.awaitError().code()).isEqualTo(CloseReason.UNSUPPORTED.code());
            assertThat(byTime.account().error().text()).contains("journal");
            replay.hello(HelloFrame.subscriber().policy(Policy.REPLAY));
            assertThat(replay.awaitWelcome().policy()).isEqualTo(Policy.DISCONNECT);
            assertThat(relay.stats().has(Counter.JOURNAL_REPLAYS)).isFalse();
        }
    }

    /** One page in all: who holds it and does not read is closed once others have waited for it, and these go on. */
    @Test
    void aReaderThatStopsHoldsUpOthersForATimeOnly() throws Exception {
        Numbered messages = messages(Seeds.random("ReplayTest"));
        int one = JournalFeed.PAGE_BYTES + TestRelay.SMALL_MAX_BODY + 8;
        try (TestRelay relay = relay(Setting.NIO_TCP, b -> b.replayBytes(one).stallTimeout(Duration.ofSeconds(2)));
                NumberedPublisher publisher = new NumberedPublisher(relay, messages)) {
            publisher.publishBytes(ENOUGH);
            long end = publisher.next();
            // Behind the messages: the log would overtake, and cut off, one that has not said HELLO.
            relay.awaitMessagesIn(end - 1);
            SpeakingSubscriber waits = relay.speaker(messages);
            SpeakingSubscriber waitsToo = relay.speaker(messages);
            SpeakingSubscriber stops = relay.pausedSpeaker(messages);
            stops.hello(from(1)).resumeUntilWelcome();
            stops.awaitWelcome();
            Await.until(
                    () -> "it is on its way: " + relay.relay().connections(), () -> relay.relay().connections().stream()
                            .anyMatch(r -> r.replayPercent() != ConnectionRow.LIVE && r.lagMessages() > 0));
            waits.hello(from(1));
            waitsToo.hello(SpeakingSubscriber.numbered(SOME).fromEarliest());
            waits.awaitNext(end).account().assertCompleteUpTo(end);
            waitsToo.awaitNext(end).account().assertCompleteUpTo(end);
            relay.awaitClosed(CloseReason.STALLED_SUBSCRIBER, 1);
            assertThat(relay.stats().get(Counter.JOURNAL_REPLAY_WAITS)).isPositive();
            stops.close();
        }
    }

    /** One page in all, and an identity whose rate would keep it for minutes. */
    @Test
    void aReaderThatItsRatePausesHoldsNobodyUp() throws Exception {
        Numbered messages = messages(Seeds.random("ReplayTest"));
        int one = JournalFeed.PAGE_BYTES + TestRelay.SMALL_MAX_BODY + 8;
        Token fast = Token.of("the-token-of-fast");
        AccessPolicy policy = new AccessPolicy(List.of(
                local("slow", List.of(), 1000, Identity.UNLIMITED),
                local("fast", List.of(TokenHash.of(fast)), Identity.UNLIMITED, Identity.UNLIMITED)));
        long end;
        try (TestRelay relay = relay(Setting.NIO_TCP, b -> b);
                NumberedPublisher publisher = new NumberedPublisher(relay, messages)) {
            publisher.publishBytes(TestRelay.SMALL_LOG);
            end = publisher.next();
            relay.awaitMessagesIn(end - 1);
        }
        try (TestRelay relay = relay(Setting.NIO_TCP, b -> b.replayBytes(one).access(policy));
                SpeakingSubscriber paused = relay.speaker(messages);
                SpeakingSubscriber some = relay.speaker(messages);
                SpeakingSubscriber goesOn = relay.speaker(messages)) {
            paused.hello(from(1)).awaitWelcome();
            some.hello(SpeakingSubscriber.numbered(SOME).fromEarliest());
            goesOn.hello(from(1).token(fast)).awaitNext(end).account().assertCompleteUpTo(end);
            some.awaitWelcome();
            assertThat(relay.stats().closes()).isEmpty();
            // With another rate it goes on where it was paused.
            relay.relay()
                    .reload(RelayConfig.builder()
                            .access(new AccessPolicy(List.of(local("slow", List.of(), 1L << 30, Identity.UNLIMITED))))
                            .build());
            for (SpeakingSubscriber s : List.of(paused, some)) {
                s.awaitNext(end).account().assertCompleteUpTo(end);
                assertThat(s.account().said(ControlFrames.GAP)).isEmpty();
            }
        }
    }

    /** The first PING tells how far there is to go. */
    @Test
    void theWayIsTold() throws Exception {
        Numbered messages = messages(Seeds.random("ReplayTest"));
        try (TestRelay relay = relay(Setting.NIO_TCP, b -> b.heartbeat(Duration.ofSeconds(30))
                        .idleTimeout(Duration.ofSeconds(60)));
                NumberedPublisher publisher = new NumberedPublisher(relay, messages)) {
            publisher.publishBytes(3L * TestRelay.SMALL_LOG);
            relay.awaitMessagesIn(publisher.next() - 1);
            try (SpeakingSubscriber s = relay.speaker(messages)) {
                s.hello(from(1));
                Account.Said ping = s.awaitSaid(ControlFrames.PING, 1);
                assertThat(PingFrame.next(ping.body())).isEqualTo(1);
                assertThat(PingFrame.head(ping.body())).isEqualTo(publisher.next() - 1);
            }
        }
    }

    private UnaryOperator<RelayConfig.Builder> shortSegments() {
        return b ->
                b.maxBody(100_000).journalSegment(1 << 20).journalKeep(4L << 20).journalForce(Duration.ofMillis(20));
    }

    /** The oldest files are dropped, which they are once they are forced. */
    private void awaitRetention() {
        Await.until("the oldest files are dropped", () -> {
            try (Stream<Path> files = Files.list(directory)) {
                return files.filter(f -> f.toString().endsWith(".stream")).count() <= 6;
            } catch (IOException | UncheckedIOException renamed) {
                return false;
            }
        });
    }

    /** The journal keeps less than the reader is behind. */
    @Test
    void retentionThatOvertakesIsTold() throws Exception {
        Numbered messages = new Numbered(Seeds.random("ReplayTest"), TYPES, 60, 300, 4000, 60_000);
        try (TestRelay relay = relay(Setting.NIO_TCP, shortSegments());
                NumberedPublisher publisher = new NumberedPublisher(relay, messages);
                SpeakingSubscriber slow = relay.speaker(messages)) {
            slow.hello(HelloFrame.subscriber().policy(Policy.REPLAY)).awaitWelcome();
            slow.pause();
            publisher.publishBytes(ENOUGH);
            relay.awaitMessagesIn(publisher.next() - 1);
            awaitRetention();
            slow.resume();
            SpeakingSubscriber late = relay.speaker(messages).hello(from(1));
            long end = publisher.next();
            for (SpeakingSubscriber s : List.of(slow, late)) {
                s.awaitNext(end).account().assertCompleteUpTo(end);
                // Two of them, where files were dropped while it read.
                assertThat(s.account().said(ControlFrames.GAP))
                        .isNotEmpty()
                        .extracting(gap -> GapFrame.reason(gap.body()))
                        .containsOnly(GapReason.NOT_HELD.code());
            }
            assertThat(relay.stats().get(Counter.JOURNAL_REPLAY_MISSED)).isPositive();
            late.close();
        }
    }

    @Test
    void overTls() throws Exception {
        Numbered messages = messages(Seeds.random("ReplayTest"));
        try (Certificates certificates = new Certificates()) {
            overTls(certificates, messages);
        }
    }

    private void overTls(Certificates certificates, Numbered messages) throws Exception {
        TlsFiles files = certificates.relayFiles();
        try (TestRelay relay = relay(
                        Setting.NIO_TCP, b -> b.tls(files).tlsPublishPort(0).tlsSubscribePort(0));
                NumberedPublisher publisher = new NumberedPublisher(relay, messages)) {
            publisher.publishBytes(3L * TestRelay.SMALL_LOG);
            long end = publisher.next();
            relay.awaitMessagesIn(end - 1);
            try (TlsBridge one = new TlsBridge(relay.relay().tlsSubscribeAddress(), certificates.client());
                    TlsBridge other = new TlsBridge(relay.relay().tlsSubscribeAddress(), certificates.client());
                    SpeakingSubscriber all = SpeakingSubscriber.connect(one.address(), new Account(messages));
                    SpeakingSubscriber some = SpeakingSubscriber.connect(other.address(), new Account(messages))) {
                all.hello(HelloFrame.subscriber().fromEarliest());
                some.hello(SpeakingSubscriber.numbered(SOME).fromEarliest());
                for (SpeakingSubscriber s : List.of(all, some)) {
                    s.awaitNext(end).account().assertCompleteUpTo(end);
                    assertThat(s.account().said(ControlFrames.GAP)).isEmpty();
                }
                assertThat(relay.stats().get(Counter.JOURNAL_REPLAYS_BEGUN)).isEqualTo(2);
                // On the loop of the others again.
                publisher.publish(10);
                all.awaitNext(end + 10).account().assertCompleteUpTo(end + 10);
            }
        }
    }

    private static Identity local(String name, List<TokenHash> tokens, long maxRate, long maxReplays) {
        return new Identity(
                name,
                tokens,
                List.of(),
                List.of(),
                List.of(Network.parse("127.0.0.0/8")),
                TypeRanges.ALL,
                TypeRanges.ALL,
                Identity.UNLIMITED,
                maxRate,
                Identity.UNLIMITED,
                maxReplays);
    }

    @Test
    void anIdentityMayHaveSoMany() throws Exception {
        Numbered messages = messages(Seeds.random("ReplayTest"));
        Identity local = local("local", List.of(), Identity.UNLIMITED, 1);
        try (TestRelay relay = relay(Setting.NIO_TCP, b -> b.access(new AccessPolicy(List.of(local))));
                NumberedPublisher publisher = new NumberedPublisher(relay, messages)) {
            publisher.publishBytes(ENOUGH);
            long end = publisher.next();
            relay.awaitMessagesIn(end - 1);
            SpeakingSubscriber first = relay.pausedSpeaker(messages);
            try (SpeakingSubscriber second = relay.speaker(messages);
                    SpeakingSubscriber live = relay.speaker(messages)) {
                first.hello(from(1)).resumeUntilWelcome();
                first.awaitWelcome();
                second.hello(from(1));
                assertThat(second.awaitError().code()).isEqualTo(CloseReason.TOO_MANY_CONNECTIONS.code());
                assertThat(second.account().error().text()).contains("there is 1 subscriber of local");
                live.hello(HelloFrame.subscriber()).awaitWelcome();
                first.close();
                Await.until("it is gone", () -> relay.stats().get(Counter.JOURNAL_REPLAYS) == 0);
                try (SpeakingSubscriber third = relay.speaker(messages)) {
                    third.hello(from(1)).awaitNext(end).account().assertCompleteUpTo(end);
                }
            }
        }
    }

    /** Bits of a file flip while the relay runs: what they hit is told, and nothing of it is sent. */
    @Test
    void damageIsToldAndNeverSent() throws Exception {
        Random random = Seeds.random("ReplayTest");
        Numbered messages = messages(random);
        try (TestRelay relay = relay(Setting.NIO_TCP, b -> b);
                NumberedPublisher publisher = new NumberedPublisher(relay, messages)) {
            publisher.publishBytes(4L * TestRelay.SMALL_LOG);
            long end = publisher.next();
            relay.awaitMessagesIn(end - 1);
            for (int i = 0; i < 2; i++) {
                flip(".stream", TestRelay.SMALL_LOG + random.nextLong(TestRelay.SMALL_LOG));
            }
            try (SpeakingSubscriber all = relay.speaker(messages);
                    SpeakingSubscriber some = relay.speaker(messages)) {
                all.hello(HelloFrame.subscriber().fromEarliest());
                some.hello(SpeakingSubscriber.numbered(SOME).fromEarliest());
                for (SpeakingSubscriber s : List.of(all, some)) {
                    s.awaitNext(end).account().assertCompleteUpTo(end);
                    List<Account.Said> gaps = s.account().said(ControlFrames.GAP);
                    assertThat(gaps).isNotEmpty().allMatch(g -> GapFrame.reason(g.body()) == GapReason.DAMAGED.code());
                    assertThat(s.account().missed()).isLessThan((int) end / 2);
                }
            }
        }
    }

    /** One bit of the oldest file. */
    private void flip(String suffix, long at) throws IOException {
        Path oldest;
        try (Stream<Path> files = Files.list(directory)) {
            oldest = files.filter(f -> f.toString().endsWith(suffix))
                    .sorted()
                    .findFirst()
                    .orElseThrow();
        }
        try (RandomAccessFile file = new RandomAccessFile(oldest.toFile(), "rw")) {
            file.seek(at);
            int was = file.read();
            file.seek(at);
            file.write(was ^ 1);
        }
    }

    /** The first bytes, or the first record: whoever begins there is told what is missing, and gets all behind it. */
    @ParameterizedTest
    @ValueSource(strings = {".stream", ".index"})
    void aStartAtDamageIsTold(String file) throws Exception {
        Numbered messages = messages(Seeds.random("ReplayTest"));
        try (TestRelay relay = relay(Setting.NIO_TCP, b -> b);
                NumberedPublisher publisher = new NumberedPublisher(relay, messages)) {
            publisher.publish(1);
            Await.until("it is written", () -> relay.stats().get(Counter.JOURNAL_POSITION) > 0);
            publisher.publishBytes(4L * TestRelay.SMALL_LOG);
            long end = publisher.next();
            relay.awaitMessagesIn(end - 1);
            // Behind the header of an index.
            flip(file, file.equals(".index") ? 64 + 20 : 9);
            List<HelloFrame.Builder> starts = List.of(
                    HelloFrame.subscriber().fromEarliest(),
                    HelloFrame.subscriber().fromTime(1),
                    from(1));
            for (HelloFrame.Builder start : starts) {
                try (SpeakingSubscriber s = relay.speaker(messages)) {
                    assertThat(s.hello(start).awaitWelcome().next()).isEqualTo(1);
                    s.awaitNext(end).account().assertCompleteUpTo(end);
                    List<Account.Said> gaps = s.account().said(ControlFrames.GAP);
                    assertThat(gaps).hasSize(1);
                    GapFrame.check(gaps.get(0).body());
                    assertThat(GapFrame.reason(gaps.get(0).body())).isEqualTo(GapReason.DAMAGED.code());
                    assertThat(GapFrame.from(gaps.get(0).body())).isEqualTo(1);
                    assertThat(GapFrame.to(gaps.get(0).body())).isEqualTo(1);
                    assertThat(s.account().missed()).isEqualTo(1);
                }
            }
            assertThat(relay.stats().get(Counter.JOURNAL_REPLAY_MISSED)).isEqualTo(3);
        }
    }
}
