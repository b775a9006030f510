package dev.msgrelay.server.subscribe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.Sessions;
import dev.msgrelay.server.connection.Durability;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.FakeDurability;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.stream.Mark;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A subscriber whose stream ends where the journal has got to, and lives of the stream before this one. */
class DurableOnlyTest {
    private static final int BODY = 100;

    /** Its life ended before message 5. */
    private static final long EARLIER = 55;

    private final FakeDurability journal = new FakeDurability(Map.of(FanoutRig.EPOCH, Durability.TODAY, EARLIER, 5L));

    @AutoClose
    private final FanoutRig rig = new FanoutRig(journal);
    // Where the stream stood before each message.
    private final List<Mark> places = new ArrayList<>();

    @BeforeEach
    void listen() {
        journal.onMoved(rig.group::durableMoved);
    }

    @ParameterizedTest
    @EnumSource(
            value = Level.class,
            names = {"WRITTEN", "FORCED"})
    void getsAMessageOnceItHasGotSoFar(Level level) {
        publish(3);
        FanoutRig.Subscriber subscriber = rig.connect();
        subscriber.hello(HelloFrame.subscriber().level(level));
        publish(3);
        rig.pump();
        Control welcome = subscriber.told().only(ControlFrames.WELCOME);
        assertThat(welcome.features()).isEqualTo(Features.LEVELS);
        assertThat(welcome.next()).as("live begins where its stream ends").isEqualTo(1);
        assertThat(subscriber.told().messages()).isEmpty();

        journal.written(places.get(2));
        rig.pump();
        assertThat(subscriber.told().messages()).hasSize(level == Level.WRITTEN ? 2 : 0);
        journal.forced(places.get(4));
        assertThat(rig.group.pending()).as("there is something to send").isTrue();
        rig.pump();
        assertThat(subscriber.told().messages()).containsExactly(1L, 2L, 3L, 4L);
        journal.forced(rig.head());
        rig.pump();
        assertThat(subscriber.told().messages()).hasSize(6);
        assertThat(subscriber.told().controls).hasSize(1);
    }

    @Test
    void theJournalIsAskedForWhatTheyWaitFor() {
        FanoutRig.Subscriber written = rig.connect();
        FanoutRig.Subscriber stream = rig.joined(HelloFrame.subscriber().level(Level.STREAM));
        rig.durable.want(10);
        assertThat(journal.wantedWritten()).isZero();
        written.hello(HelloFrame.subscriber().level(Level.WRITTEN));
        rig.pump();
        rig.durable.want(20);
        assertThat(journal.wantedWritten()).isEqualTo(20);
        assertThat(journal.wantedForced()).isZero();
        FanoutRig.Subscriber forced = rig.joined(HelloFrame.subscriber().level(Level.FORCED));
        rig.durable.want(30);
        assertThat(journal.wantedForced()).isEqualTo(30);
        forced.hangUp();
        written.hangUp();
        assertThat(rig.durable.any()).isFalse();
    }

    /** While it went back to where its stream ends, the writer saw it where it had stood before. */
    @Test
    void theWriterKeepsToWhereItsStreamEnds() throws Exception {
        try (FanoutRig back = new FanoutRig(Policy.BACKPRESSURE, journal)) {
            back.publishMany(8, BODY);
            long head = back.head().position();
            FanoutRig.Subscriber subscriber = back.connect();
            subscriber.hello(HelloFrame.subscriber().level(Level.FORCED));
            // The journal is just setting where it stands, so who reads that waits.
            Sessions.set(journal.forced(), "version", 1L);
            Object before = Sessions.get(back.gate, "limits");
            Thread pumps = new Thread(back::pump);
            pumps.start();
            Await.until("it has joined once more", () -> {
                Object[] limits = Sessions.get(back.gate, "limits");
                return limits != before && limits.length == 1;
            });
            assertThat(back.gate.tryPass(head + FanoutRig.WINDOW)).isTrue();
            Sessions.set(journal.forced(), "version", 2L);
            Await.until("it has its place", () -> {
                back.loop.io().runNow();
                return !pumps.isAlive();
            });
            assertThat(subscriber.connection.position()).isZero();
            assertThat(back.gate.tryPass(head + FanoutRig.WINDOW)).isFalse();
        }
    }

    /** It had them from another connection, as soon as they were in the stream. */
    @Test
    void whoAsksForWhatIsNotDurableYetWaits() {
        publish(8);
        journal.written(places.get(4));
        FanoutRig.Subscriber subscriber = rig.joined(
                HelloFrame.subscriber().fromSequence(FanoutRig.EPOCH, 7).level(Level.WRITTEN));
        assertThat(subscriber.told().only(ControlFrames.WELCOME).next()).isEqualTo(7);
        journal.written(places.get(6));
        rig.pump();
        assertThat(subscriber.told().messages()).isEmpty();
        journal.written(rig.head());
        rig.pump();
        assertThat(subscriber.told().messages()).containsExactly(7L, 8L);
    }

    @Test
    void beyondTheStreamThereIsNothingToWaitFor() {
        publish(8);
        FanoutRig.Subscriber subscriber =
                rig.joined(HelloFrame.subscriber().fromSequence(0, 10).level(Level.WRITTEN));
        assertThat(subscriber.told().only(ControlFrames.ERROR).code()).isEqualTo(CloseReason.BAD_START.code());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void isNeverToldMoreThanThat(boolean filtered) {
        Random random = Seeds.random("DurableOnlyTest.isNeverToldMoreThanThat " + filtered);
        publish(1);
        HelloFrame.Builder hello = HelloFrame.subscriber().fromEarliest().level(Level.WRITTEN);
        FanoutRig.Subscriber subscriber = rig.connect();
        subscriber.hello(filtered ? hello.types(TypeRanges.of(1, 1_000_000)) : hello);
        int written = 0;
        for (int i = 0; i < 2_000; i++) {
            switch (random.nextInt(4)) {
                case 0 -> publish(1 + random.nextInt(5));
                case 1 -> written = write(written + random.nextInt(places.size() - written + 1));
                case 2 -> {
                    subscriber.block();
                    rig.pump();
                    subscriber.unblock();
                }
                default -> rig.pump();
            }
            assertThat(subscriber.told().messages()).as("step %d", i).hasSizeLessThanOrEqualTo(written);
            // The log is small: it would go over a subscriber that is further behind, and cut it off.
            if (places.size() - subscriber.told().messages().size() > 40) {
                written = write(places.size());
                rig.pump();
            }
        }
        write(places.size());
        rig.pump();
        assertThat(subscriber.told().messages())
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, places.size()).boxed().toList());
        assertThat(rig.closes()).isEmpty();
    }

    private int write(int messages) {
        journal.written(messages == places.size() ? rig.head() : places.get(messages));
        return messages;
    }

    // ---- lives of the stream ----------------------------------------------------------------------------------

    /** 7 is the epoch of today, 66 that of another relay; flag 1 is EPOCH_CHANGED, 2 ROLLED_BACK. */
    @ParameterizedTest
    @CsvSource({
        "55, 3, 3, 0, 0",
        "55, 5, 5, 0, 0",
        "55, 6, 5, 3, 5",
        "55, 900, 5, 3, 5",
        "66, 6, 1, 1, 0",
        "7, 6, 6, 0, 0",
        "0, 6, 6, 0, 0"
    })
    void goesOnInItsLifeOrAtItsFork(long epoch, long number, long next, int flags, long fork) {
        publish(8);
        FanoutRig.Subscriber subscriber = rig.joined(HelloFrame.subscriber().fromSequence(epoch, number));
        Control welcome = subscriber.told().only(ControlFrames.WELCOME);
        assertThat(welcome.flags()).isEqualTo(flags);
        assertThat(welcome.next()).isEqualTo(next);
        assertThat(welcome.fork()).isEqualTo(fork);
        assertThat(welcome.epoch()).isEqualTo(FanoutRig.EPOCH);
        assertThat(subscriber.told().messages()).startsWith(next).endsWith(8L);
    }

    private void publish(int messages) {
        for (int i = 0; i < messages; i++) {
            places.add(rig.head());
            rig.publish(places.size(), BODY);
        }
    }
}
