package dev.msgrelay.loadgen.lab.batching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.loadgen.lab.Go;
import dev.msgrelay.loadgen.lab.Measurement;
import dev.msgrelay.loadgen.lab.WrongResultException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every way with a little data; each contestant checks for itself that all messages came. */
class WaysTest {
    private static final Go GO = new Go(Path.of("unused"), 1);
    private static final int BURSTS = 5;

    @ParameterizedTest
    @EnumSource(Way.class)
    void burstsArriveWhole(Way way) throws Exception {
        Measurement burst = new BurstContestant(way, options(Wait.BLOCK), BURSTS).go(GO);
        double packets = burst.value(BurstContestant.PACKETS);
        assertThat(packets).isBetween(way == Way.SERIAL ? 10.0 : 1.0, 10.0);
        assertThat(burst.value(BurstContestant.BEST)).isGreaterThanOrEqualTo(100);
        assertThat(burst.value(BurstContestant.WORST)).isGreaterThanOrEqualTo(burst.value(BurstContestant.AVERAGE));
        // One device, one packet at a time.
        assertThat(burst.value(BurstContestant.WORST)).isGreaterThanOrEqualTo(way == Way.SERIAL ? 500 : 100);
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void fullSpeedArrivesWhole(Way way) throws Exception {
        Measurement go = new LoadContestant(way, options(Wait.BLOCK), 3, 0).go(GO);
        assertThat(go.value(LoadContestant.DELIVERED)).isPositive();
        assertThat(go.value(LoadContestant.P99)).isGreaterThanOrEqualTo(go.value(LoadContestant.MEDIAN));
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void aLoadArrivesWhole(Way way) throws Exception {
        Measurement go = new LoadContestant(way, options(Wait.YIELD), 8, 8_000).go(GO);
        assertThat(go.value(LoadContestant.LOAD)).isEqualTo(8_000);
        assertThat(go.value(LoadContestant.DELIVERED)).isPositive();
    }

    @ParameterizedTest
    @EnumSource(value = Way.class, mode = EnumSource.Mode.EXCLUDE, names = "RELAY")
    void aDeviceThatFailsFailsTheWay(Way way) {
        NetworkFacade broken = packet -> {
            throw new IOException("no link");
        };
        assertThatThrownBy(() -> {
                    Sender sender = way.open(broken, options(Wait.BLOCK));
                    Sender.Outlet outlet = sender.newOutlet();
                    outlet.send(new Frame(0, 40).of(0, 0));
                    sender.close();
                })
                .isInstanceOf(IOException.class)
                .hasMessage("no link");
    }

    @Test
    void whatIsHandedOverComesOutInOrder() throws Exception {
        for (ExchangeContestant.Source source : List.<ExchangeContestant.Source>of(
                () -> new QueueExchange(new TrackedQueue<>(64)),
                () -> new QueueExchange(new ArrayBlockingQueue<>(64)),
                () -> new RingExchange(64))) {
            Measurement go = new ExchangeContestant("any", source, 10_000).go(GO);
            assertThat(go.value(ExchangeContestant.COST)).isPositive();
        }
    }

    @Test
    void anExchangeThatMixesUpIsWrong() {
        ExchangeContestant.Source mixing = () -> new QueueExchange(new ArrayBlockingQueue<>(64) {
            private static final long serialVersionUID = 1;

            @Override
            public boolean offer(Long value) {
                return super.offer(value ^ 1);
            }
        });
        assertThatThrownBy(() -> new ExchangeContestant("mixing", mixing, 100).go(GO))
                .isInstanceOf(WrongResultException.class);
    }

    @Test
    void aTrackedQueueRefusesWhatItHasNoRoomFor() {
        TrackedQueue<String> queue = new TrackedQueue<>(2);
        assertThat(queue.offer("a")).isTrue();
        assertThat(queue.offer("b")).isTrue();
        assertThat(queue.offer("c")).isFalse();
        assertThat(queue).hasSize(2).containsExactly("a", "b");
        assertThat(queue.poll()).isEqualTo("a");
        assertThat(queue.offer("c")).isTrue();
    }

    private static BatchingOptions options(Wait wait) {
        return new BatchingOptions(40, 1_448, wait, List.of(3), List.of(8_000), Duration.ofMillis(200));
    }
}
