package dev.msgrelay.lab.batching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.lab.Contestant.Go;
import dev.msgrelay.lab.Measurement;
import dev.msgrelay.lab.batching.Sender.Way;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every way with a little data; each contestant checks for itself that all messages came. */
class WaysTest {
    private static final Go GO = new Go(Path.of("unused"), 1);
    private static final Duration TIME = Duration.ofMillis(60);
    private static final int BURSTS = 5;

    @ParameterizedTest
    @EnumSource(Way.class)
    void burstsArriveWhole(Way way) throws Exception {
        Measurement burst = new Burst(way, BURSTS).go(GO);
        double packets = burst.value(Burst.PACKETS);
        assertThat(packets).isBetween(way == Way.SERIAL ? 10.0 : 1.0, 10.0);
        assertThat(burst.value(Burst.BEST)).isGreaterThanOrEqualTo(100);
        assertThat(burst.value(Burst.WORST)).isGreaterThanOrEqualTo(burst.value(Burst.AVERAGE));
        // One device, one packet at a time.
        assertThat(burst.value(Burst.WORST)).isGreaterThanOrEqualTo(way == Way.SERIAL ? 500 : 100);
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void fullSpeedArrivesWhole(Way way) throws Exception {
        Measurement go = measured(new Load(way, 3, 0, TIME));
        assertThat(go.value(Load.DELIVERED)).isPositive();
        // Not shown where there were too few for one.
        if (!Double.isNaN(go.value(Load.P99))) {
            assertThat(go.value(Load.P99)).isGreaterThanOrEqualTo(go.value(Load.MEDIAN));
        }
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void aLoadArrivesWhole(Way way) throws Exception {
        Measurement go = measured(new Load(way, 8, 8_000, TIME));
        assertThat(go.value(Load.LOAD)).isEqualTo(8_000);
        assertThat(go.value(Load.DELIVERED)).isPositive();
    }

    /** One message, at the very beginning, which is in no latency: that is none of 0 us. */
    @Test
    void aLatencyThatNobodyMeasuredIsNotShown() throws Exception {
        Measurement go = measured(new Load(Way.SERIAL, 1, 1, TIME));
        assertThat(go.value(Load.DELIVERED)).isPositive();
        assertThat(go.value(Load.MEDIAN)).isNaN();
        assertThat(go.value(Load.P99)).isNaN();
    }

    @ParameterizedTest
    @EnumSource(value = Way.class, mode = EnumSource.Mode.EXCLUDE, names = "RELAY")
    void aDeviceThatFailsFailsTheWay(Way way) {
        Sender.NetworkFacade broken = packet -> {
            throw new IOException("no link");
        };
        assertThatThrownBy(() -> {
                    Sender sender = way.open(broken);
                    Sender.Outlet outlet = sender.newOutlet();
                    outlet.send(new Producers.Frame(0, 40).of(0, 0));
                    sender.close();
                })
                .isInstanceOf(IOException.class)
                .hasMessage("no link");
    }

    /** A go in which a busy machine let no thread run says nothing, and is done again. */
    private static Measurement measured(Load load) throws Exception {
        while (true) {
            try {
                return load.go(GO);
            } catch (IOException e) {
                assertThat(e).hasMessageStartingWith("no thread had a core for ");
            }
        }
    }
}
