package dev.msgrelay.server.subscriber;

import static dev.msgrelay.server.config.RelayOption.*;
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
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.access.AccessPolicy;
import dev.msgrelay.server.access.Identity;
import dev.msgrelay.server.access.Network;
import dev.msgrelay.server.access.TokenHash;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.figures.ConnectionRow;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Account;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Certificates;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Numbered;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.SpeakingSubscriber;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.TlsBridge;
import dev.msgrelay.server.journal.read.BlockReader;
import dev.msgrelay.server.tls.TlsFiles;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
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
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Subscribers that get from the journal what the log no longer has: each message once, in its order, to the byte. */
class ReplayTest {
    private static final int TYPES = 10;
    private static final TypeRanges SOME = TypeRanges.of(0, 3);
    private static final int ONE_PAGE = BlockReader.PAGE_BYTES + TestRelay.SMALL_MAX_BODY + 8;

    @TempDir
    private Path directory;

    private final Random random = Seeds.random("ReplayTest");

    // Many to a packet, larger than a packet, over 8 and 64 KiB.
    private final Numbered messages = new Numbered(random, TYPES, 60, 60, 60, 300, 300, 4000, 20_000, 100_000);

    private TestRelay relay(Setting setting, UnaryOperator<RelayConfig.Builder> more) throws IOException {
        return TestRelay.start(
                setting,
                b -> more.apply(Scene.small(b)
                        .set(HEARTBEAT, Duration.ofMillis(200))
                        .set(JOURNAL, directory)
                        .set(JOURNAL_KEEP_TIME, Duration.ofDays(1))));
    }

    private Scene scene(Setting setting, UnaryOperator<RelayConfig.Builder> more) throws IOException {
        return new Scene(relay(setting, more), messages);
    }

    private Scene scene(UnaryOperator<RelayConfig.Builder> more) throws IOException {
        return scene(Setting.NIO_TCP, more);
    }

    private static HelloFrame.Builder from(long sequence) {
        return HelloFrame.subscriber().fromSequence(0, sequence);
    }

    @Over.Pairs
    void everythingThatThereEverWas(Setting setting) throws Exception {
        long end;
        try (Scene scene = scene(setting, b -> b)) {
            end = scene.fill(3L * TestRelay.SMALL_LOG);
        }
        // One that is live again, and waits for a core then, is not cut off.
        try (Scene scene = new Scene(relay(setting, b -> b.set(SLOW_SUBSCRIBER, Policy.BACKPRESSURE)), messages, end)) {
            SpeakingSubscriber[] all = {
                scene.greeting(HelloFrame.subscriber().fromEarliest()),
                scene.greeting(SpeakingSubscriber.numbered(SOME).fromEarliest()),
                scene.greeting(HelloFrame.subscriber().fromEarliest().level(Level.FORCED)),
                scene.greeting(HelloFrame.subscriber().types(SOME).fromEarliest())
            };
            // The log may overtake, and cut off, one whose HELLO has not been read yet.
            for (SpeakingSubscriber s : all) {
                assertThat(s.awaitWelcome().next()).isEqualTo(1);
            }
            end = scene.publisher.publishBytes(2L * TestRelay.SMALL_LOG).next();
            Scene.assertNoGap(end, all);
            assertThat(all[0].account().count()).isEqualTo(end - 1);
            TestRelay relay = scene.relay;
            assertThat(relay.stats().get(Counter.JOURNAL_REPLAYS_BEGUN)).isEqualTo(4);
            assertThat(relay.stats().get(Counter.JOURNAL_REPLAY_BYTES)).isPositive();
            Await.until(
                    () -> "all have caught up: " + relay.stats(),
                    () -> relay.stats().get(Counter.JOURNAL_REPLAYS) == 0);
            assertThat(relay.stats().get(Counter.JOURNAL_REPLAY_LAG_BYTES)).isZero();
            // They are live again.
            Scene.assertComplete(scene.publisher.publish(20).next(), all);
        }
    }

    /**
     * Joiners at random places while a publisher runs as fast as it can: from the disk to memory, and back where it is
     * slower.
     */
    @Over.Loops
    void theCrossingUnderLoad(Setting setting) throws Exception {
        // Until it has said HELLO it is one that is cut off, or skips.
        try (Scene scene = scene(setting, b -> b.set(SLOW_SUBSCRIBER, Policy.SKIP))) {
            scene.publisher.publishBytes(2L * TestRelay.SMALL_LOG);
            // All of it is read by each of them: some mebibytes.
            AtomicBoolean enough = new AtomicBoolean();
            scene.workers.start("publisher", () -> {
                while (!enough.get() && scene.publisher.bytes() < 5L * TestRelay.SMALL_LOG) {
                    scene.publisher.publish(20);
                }
            });
            SpeakingSubscriber[] joined = new SpeakingSubscriber[4];
            for (int i = 0; i < joined.length; i++) {
                long first = 1 + random.nextLong(scene.relay.stats().get(Counter.MESSAGES_IN));
                boolean some = random.nextInt(3) == 0;
                // Live ones are too slow for this publisher now and then, and go back to the disk.
                HelloFrame.Builder hello = from(first).policy(Policy.REPLAY);
                joined[i] = scene.greeting(some ? hello.types(SOME).features(Features.SEQUENCES) : hello);
                assertThat(joined[i].awaitWelcome().next()).isEqualTo(first);
                if (random.nextBoolean()) {
                    joined[i].awaitNext(
                            Math.min(scene.relay.stats().get(Counter.MESSAGES_IN), first + random.nextInt(2000)));
                }
            }
            enough.set(true);
            scene.workers.join();
            Scene.assertNoGap(scene.publisher.next(), joined);
            assertThat(scene.relay.stats().closes()).isEmpty();
        }
    }

    /** Who stops reading now and then is overtaken, and has everything in the end. */
    @Over.Loops
    void anOvertakenReaderMissesNothing(Setting setting) throws Exception {
        try (Scene scene = scene(setting, b -> b)) {
            SpeakingSubscriber[] readers = {
                scene.welcomedNarrow(HelloFrame.subscriber().policy(Policy.REPLAY)),
                scene.welcomedNarrow(SpeakingSubscriber.numbered(SOME).policy(Policy.REPLAY))
            };
            for (int pause = 0; pause < 2; pause++) {
                for (SpeakingSubscriber reader : readers) {
                    assertThat(reader.account().welcome().policy()).isEqualTo(Policy.REPLAY);
                    reader.pause();
                }
                scene.publisher.publishBytes(ENOUGH);
                for (SpeakingSubscriber reader : readers) {
                    reader.resume();
                }
                Scene.assertNoGap(scene.publisher.next(), readers);
            }
            assertThat(scene.relay.stats().get(Counter.JOURNAL_REPLAYS_BEGUN)).isGreaterThanOrEqualTo(2);
            assertThat(scene.relay.stats().get(Counter.MESSAGES_SKIPPED)).isZero();
        }
    }

    /** Also one that has never said a word, where that is the relay's own policy; closed where it cannot get all. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPlainReaderMissesNothing(boolean kept) throws Exception {
        try (TestRelay relay =
                        relay(Setting.NIO_TCP, b -> (kept ? b : shortSegments(b)).set(SLOW_SUBSCRIBER, Policy.REPLAY));
                PlainPublisher publisher = relay.publisher();
                PlainSubscriber plain = relay.subscriber()) {
            plain.pause();
            for (int i = 0; i < 3500; i++) {
                publisher.send(new Frames().frame(i, 5000));
            }
            relay.awaitMessagesIn(3500);
            if (kept) {
                plain.resume();
                plain.awaitMessages(3500);
                assertThat(plain.received().count()).isEqualTo(3500);
                assertThat(relay.stats().get(Counter.JOURNAL_REPLAYS_BEGUN)).isPositive();
            } else {
                awaitRetention();
                plain.resume();
                relay.awaitClosed(CloseReason.SLOW_SUBSCRIBER, 1);
                plain.awaitEnd();
                assertThat(plain.received().count()).isBetween(1, 3499);
            }
            assertThat(plain.received().wrong()).isNull();
        }
    }

    /** Who does not ask for it may not know it, and is told a policy that it knows. */
    @Test
    void theRelaysOwnPolicy() throws Exception {
        try (Scene scene = scene(b -> b.set(SLOW_SUBSCRIBER, Policy.REPLAY).set(ALLOW_POLICIES, Set.of(Policy.SKIP)))) {
            for (Policy policy : List.of(Policy.RELAY_DEFAULT, Policy.REPLAY, Policy.SKIP)) {
                SpeakingSubscriber s = scene.welcomed(HelloFrame.subscriber().policy(policy));
                assertThat(s.account().welcome().policy()).isEqualTo(policy);
            }
        }
    }

    private static void assertStart(Scene scene, HelloFrame.Builder hello, long next) throws Exception {
        assertThat(scene.welcomed(hello).account().welcome().next()).isEqualTo(next);
    }

    @Test
    void byTime() throws Exception {
        try (Scene scene = scene(b -> b)) {
            long before = System.currentTimeMillis();
            List<Long> times = new ArrayList<>();
            List<Long> firsts = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                long last = System.currentTimeMillis();
                Await.until("the clock moves", () -> System.currentTimeMillis() > last + 1);
                times.add(System.currentTimeMillis());
                firsts.add(scene.publisher.next());
                scene.fill(TestRelay.SMALL_LOG / 3);
                Await.until("all is written", () -> scene.relay.stats().get(Counter.JOURNAL_WRITTEN_LAG_BYTES) == 0);
            }
            long end = scene.publisher.next();
            for (int i = 0; i < 4; i++) {
                SpeakingSubscriber s = scene.welcomed(HelloFrame.subscriber().fromTime(times.get(i)));
                assertThat(s.account().welcome().next()).as("time %d", i).isEqualTo(firsts.get(i));
                Scene.assertComplete(end, s);
            }
            for (long time : new long[] {1, before - 1_000_000}) {
                assertStart(scene, HelloFrame.subscriber().fromTime(time), 1);
            }
            for (long time : new long[] {System.currentTimeMillis() + 1_000_000, Long.MAX_VALUE}) {
                assertStart(scene, HelloFrame.subscriber().fromTime(time), end);
            }
            Scene.assertError(scene.greeting(from(end + 1)), CloseReason.BAD_START);
        }
    }

    @Test
    void withoutAJournal() throws Exception {
        try (Scene scene = Scene.of(Setting.NIO_TCP, messages)) {
            SpeakingSubscriber byTime = scene.greeting(HelloFrame.subscriber().fromTime(1));
            Scene.assertError(byTime, CloseReason.UNSUPPORTED, "journal");
            SpeakingSubscriber replay = scene.greeting(HelloFrame.subscriber().policy(Policy.REPLAY));
            assertThat(replay.awaitWelcome().policy()).isEqualTo(Policy.DISCONNECT);
            assertThat(scene.relay.stats().has(Counter.JOURNAL_REPLAYS)).isFalse();
        }
    }

    /** One page in all: who holds it and does not read is closed once others have waited for it, and these go on. */
    @Test
    void aReaderThatStopsHoldsUpOthersForATimeOnly() throws Exception {
        try (Scene scene = scene(b -> b.set(REPLAY_SIZE, ONE_PAGE).set(STALL_TIMEOUT, Duration.ofSeconds(2)))) {
            // Before the others come: the log would overtake, and cut off, one that has not said HELLO.
            long end = scene.fill(ENOUGH);
            scene.paused().hello(from(1)).resumeUntilWelcome().awaitWelcome();
            RelayServer relay = scene.relay.relay();
            Await.until(() -> "it is on its way: " + relay.connections(), () -> relay.connections().stream()
                    .anyMatch(r -> r.replayPercent() != ConnectionRow.LIVE && r.lagMessages() > 0));
            SpeakingSubscriber waits = welcomedOnceThereIsRoom(scene, from(1));
            SpeakingSubscriber waitsToo = welcomedOnceThereIsRoom(
                    scene, SpeakingSubscriber.numbered(SOME).fromEarliest());
            Scene.assertComplete(end, waits, waitsToo);
            scene.relay.awaitClosed(CloseReason.STALLED_SUBSCRIBER, 1);
            assertThat(scene.relay.stats().get(Counter.JOURNAL_REPLAY_WAITS)).isPositive();
        }
    }

    /** Comes again where it is refused for want of a page, as clients do. */
    private static SpeakingSubscriber welcomedOnceThereIsRoom(Scene scene, HelloFrame.Builder hello)
            throws IOException {
        return welcomedOnceThereIsRoom(scene, hello, CloseReason.MEMORY_LIMIT);
    }

    private static SpeakingSubscriber welcomedOnceThereIsRoom(
            Scene scene, HelloFrame.Builder hello, CloseReason refusal) throws IOException {
        long begun = System.nanoTime();
        while (true) {
            SpeakingSubscriber subscriber = scene.greeting(hello);
            Await.until(
                    () -> "it is answered: " + subscriber,
                    () -> !subscriber.account().said(ControlFrames.WELCOME).isEmpty() || subscriber.end() != null);
            if (!subscriber.account().said(ControlFrames.WELCOME).isEmpty()) {
                return subscriber;
            }
            Scene.assertError(subscriber, refusal);
            assertThat(System.nanoTime() - begun).as("refused for so long").isLessThan(Await.LIMIT_NANOS);
        }
    }

    @Test
    void whoFindsNoPageToStartWithIsToldSo() throws Exception {
        try (Scene scene = scene(b -> b.set(REPLAY_SIZE, ONE_PAGE).set(STALL_TIMEOUT, Duration.ofMinutes(10)))) {
            scene.fill(ENOUGH);
            scene.paused().hello(from(1)).resumeUntilWelcome().awaitWelcome();
            RelayServer relay = scene.relay.relay();
            Await.until(() -> "it is on its way: " + relay.connections(), () -> relay.connections().stream()
                    .anyMatch(r -> r.replayPercent() != ConnectionRow.LIVE && r.lagMessages() > 0));
            SpeakingSubscriber late = scene.greeting(from(1));
            Scene.assertError(late, CloseReason.MEMORY_LIMIT, "--replay-size", "3 s");
            assertThat(late.account().said(ControlFrames.RETRY_AFTER)).hasSize(1);
            scene.relay.awaitClosed(CloseReason.MEMORY_LIMIT, 1);
        }
    }

    /** One page in all, and an identity whose rate would keep it for minutes. */
    @Test
    void aReaderThatItsRatePausesHoldsNobodyUp() throws Exception {
        Token fast = Token.of("the-token-of-fast");
        AccessPolicy policy = new AccessPolicy(List.of(
                local("slow", List.of(), 1000, Identity.UNLIMITED),
                local("fast", List.of(TokenHash.of(fast)), Identity.UNLIMITED, Identity.UNLIMITED)));
        long end;
        try (Scene scene = scene(b -> b)) {
            end = scene.fill(TestRelay.SMALL_LOG);
        }
        try (Scene scene = scene(b -> b.set(REPLAY_SIZE, ONE_PAGE).set(ACCESS, policy))) {
            SpeakingSubscriber paused = scene.welcomed(from(1));
            SpeakingSubscriber some =
                    scene.greeting(SpeakingSubscriber.numbered(SOME).fromEarliest());
            Scene.assertComplete(end, scene.greeting(from(1).token(fast)));
            some.awaitWelcome();
            assertThat(scene.relay.stats().closes()).isEmpty();
            // With another rate it goes on where it was paused.
            scene.relay
                    .relay()
                    .reload(RelayConfig.builder()
                            .set(
                                    ACCESS,
                                    new AccessPolicy(List.of(local("slow", List.of(), 1L << 30, Identity.UNLIMITED))))
                            .build());
            Scene.assertNoGap(end, paused, some);
        }
    }

    @Test
    void theWayIsTold() throws Exception {
        try (Scene scene =
                scene(b -> b.set(HEARTBEAT, Duration.ofSeconds(30)).set(IDLE_TIMEOUT, Duration.ofSeconds(60)))) {
            long end = scene.fill(3L * TestRelay.SMALL_LOG);
            Account.Said ping = scene.greeting(from(1)).awaitSaid(ControlFrames.PING, 1);
            assertThat(PingFrame.next(ping.body())).isEqualTo(1);
            assertThat(PingFrame.head(ping.body())).isEqualTo(end - 1);
        }
    }

    private static RelayConfig.Builder shortSegments(RelayConfig.Builder builder) {
        return builder.set(MAX_BODY, 100_000)
                .set(JOURNAL_SEGMENT, 1 << 20)
                .set(JOURNAL_KEEP, 4L << 20)
                .set(JOURNAL_KEEP_TIME, null)
                .set(JOURNAL_FORCE, Duration.ofMillis(20));
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
        Numbered smaller = new Numbered(random, TYPES, 60, 300, 4000, 60_000);
        try (Scene scene = new Scene(relay(Setting.NIO_TCP, ReplayTest::shortSegments), smaller)) {
            SpeakingSubscriber slow = scene.welcomed(HelloFrame.subscriber().policy(Policy.REPLAY));
            slow.pause();
            long end = scene.fill(ENOUGH);
            awaitRetention();
            slow.resume();
            SpeakingSubscriber late = scene.greeting(from(1));
            Scene.assertComplete(end, slow, late);
            for (SpeakingSubscriber s : List.of(slow, late)) {
                // Two of them, where files were dropped while it read.
                assertThat(s.account().said(ControlFrames.GAP))
                        .isNotEmpty()
                        .extracting(gap -> GapFrame.reason(gap.body()))
                        .containsOnly(GapReason.NOT_HELD.code());
            }
            assertThat(scene.relay.stats().get(Counter.JOURNAL_REPLAY_MISSED)).isPositive();
        }
    }

    @Test
    void overTls() throws Exception {
        try (Certificates certificates = new Certificates()) {
            overTls(certificates.relayFiles(), certificates.client());
        }
    }

    private void overTls(TlsFiles files, SSLContext client) throws Exception {
        try (Scene scene =
                scene(b -> b.set(TLS_FILES, files).set(TLS_PUBLISH_PORT, 0).set(TLS_SUBSCRIBE_PORT, 0))) {
            long end = scene.fill(3L * TestRelay.SMALL_LOG);
            InetSocketAddress port = scene.relay.relay().tlsSubscribeAddress();
            try (TlsBridge one = new TlsBridge(port, client);
                    TlsBridge other = new TlsBridge(port, client);
                    SpeakingSubscriber all = SpeakingSubscriber.connect(one.address(), new Account(messages));
                    SpeakingSubscriber some = SpeakingSubscriber.connect(other.address(), new Account(messages))) {
                all.hello(HelloFrame.subscriber().fromEarliest());
                some.hello(SpeakingSubscriber.numbered(SOME).fromEarliest());
                Scene.assertNoGap(end, all, some);
                assertThat(scene.relay.stats().get(Counter.JOURNAL_REPLAYS_BEGUN))
                        .isEqualTo(2);
                // On the loop of the others again.
                scene.publisher.publish(10);
                Scene.assertComplete(end + 10, all);
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
                Identity.LEAST_INTERVAL,
                maxReplays);
    }

    @Test
    void anIdentityMayHaveSoMany() throws Exception {
        Identity local = local("local", List.of(), Identity.UNLIMITED, 1);
        try (Scene scene = scene(b -> b.set(ACCESS, new AccessPolicy(List.of(local))))) {
            long end = scene.fill(ENOUGH);
            SpeakingSubscriber first = scene.paused().hello(from(1)).resumeUntilWelcome();
            first.awaitWelcome();
            Scene.assertError(
                    scene.greeting(from(1)), CloseReason.TOO_MANY_CONNECTIONS, "there is 1 subscriber of local");
            scene.welcomed(HelloFrame.subscriber());
            first.close();
            Await.until("it is gone", () -> scene.relay.stats().get(Counter.JOURNAL_REPLAYS) == 0);
            // Its place is given back a moment after it has gone from the figures.
            Scene.assertComplete(end, welcomedOnceThereIsRoom(scene, from(1), CloseReason.TOO_MANY_CONNECTIONS));
        }
    }

    /**
     * Eight of one address come at once, where five may start in the journal a second: the others wait for their turn.
     */
    @Test
    void startsTakeTurns() throws Exception {
        try (Scene scene = scene(b -> b.set(REPLAYS_PER_ADDRESS, 5))) {
            long end = scene.fill(3L * TestRelay.SMALL_LOG);
            SpeakingSubscriber[] all = new SpeakingSubscriber[8];
            for (int i = 0; i < all.length; i++) {
                all[i] = scene.greeting(from(1));
            }
            Scene.assertNoGap(end, all);
        }
    }

    @Test
    void damageIsToldAndNeverSent() throws Exception {
        try (Scene scene = scene(b -> b)) {
            long end = scene.fill(4L * TestRelay.SMALL_LOG);
            for (int i = 0; i < 2; i++) {
                flip(".stream", TestRelay.SMALL_LOG + random.nextLong(TestRelay.SMALL_LOG));
            }
            SpeakingSubscriber[] readers = {
                scene.greeting(HelloFrame.subscriber().fromEarliest()),
                scene.greeting(SpeakingSubscriber.numbered(SOME).fromEarliest())
            };
            Scene.assertComplete(end, readers);
            for (SpeakingSubscriber s : readers) {
                assertThat(s.account().said(ControlFrames.GAP))
                        .isNotEmpty()
                        .allMatch(gap -> GapFrame.reason(gap.body()) == GapReason.DAMAGED.code());
                assertThat(s.account().missed()).isLessThan((int) end / 2);
            }
        }
    }

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
        try (Scene scene = scene(b -> b)) {
            scene.publisher.publish(1);
            Await.until("it is written", () -> scene.relay.stats().get(Counter.JOURNAL_POSITION) > 0);
            long end = scene.fill(4L * TestRelay.SMALL_LOG);
            // Behind the header of an index.
            flip(file, file.equals(".index") ? 64 + 20 : 9);
            List<HelloFrame.Builder> starts = List.of(
                    HelloFrame.subscriber().fromEarliest(),
                    HelloFrame.subscriber().fromTime(1),
                    from(1));
            for (HelloFrame.Builder start : starts) {
                SpeakingSubscriber s = scene.greeting(start);
                assertThat(s.awaitWelcome().next()).isEqualTo(1);
                Scene.assertComplete(end, s);
                assertThat(s.account().said(ControlFrames.GAP)).singleElement().satisfies(gap -> {
                    GapFrame.check(gap.body());
                    assertThat(GapFrame.reason(gap.body())).isEqualTo(GapReason.DAMAGED.code());
                    assertThat(GapFrame.from(gap.body())).isEqualTo(1);
                    assertThat(GapFrame.to(gap.body())).isEqualTo(1);
                });
                assertThat(s.account().missed()).isEqualTo(1);
            }
            assertThat(scene.relay.stats().get(Counter.JOURNAL_REPLAY_MISSED)).isEqualTo(3);
        }
    }
}
