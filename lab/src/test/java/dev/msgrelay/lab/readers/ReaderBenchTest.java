package dev.msgrelay.lab.readers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.lab.WrongResultException;
import dev.msgrelay.lab.readers.Client.Ladder;
import dev.msgrelay.loadgen.host.LaneTools;
import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.lane.LaneSpec;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** A sender and readers as processes. */
class ReaderBenchTest {
    private static final int BODY = 100;
    private static final Duration TIME = Duration.ofMillis(50);

    @Test
    void aClientReadsAllThatItsSenderSent() throws Exception {
        long before = children();
        LaneSpec loopback = LaneSpec.of(LaneKind.LOOPBACK);
        try (ReaderBench bench = ReaderBench.open(loopback, BODY, 0, TIME)) {
            for (boolean check : new boolean[] {true, false}) {
                for (Ladder step : List.of(Ladder.BUFFERED, Ladder.RELAY)) {
                    ReaderBench.Reading reading = bench.read(step, check);
                    assertThatCode(() -> reading.verify()).doesNotThrowAnyException();
                    assertThat(reading.reads()).isPositive();
                    assertThat(reading.nanos()).isPositive();
                }
            }
            assertThat(children()).isEqualTo(before + 3);
        }
        assertThat(children()).isEqualTo(before);
    }

    @Test
    void anEmulatedLaneLiesBetweenThem() throws Exception {
        LaneTools tools = LaneTools.probe(new Subprocess());
        Assumptions.assumeTrue(tools.available(), tools::reason);
        LaneSpec gigabit = LaneSpec.of(LaneKind.GBE_1);
        try (ReaderBench bench = ReaderBench.open(gigabit, BODY, 0, TIME)) {
            ReaderBench.Reading reading = bench.read(Ladder.RELAY, true);
            assertThatCode(() -> reading.verify()).doesNotThrowAnyException();
        }
    }

    @Test
    void whatIsMissingOrWrongFails() {
        assertThatThrownBy(() -> new ReaderBench.Reading(10, 9, 0, 1, 1).verify())
                .isInstanceOf(WrongResultException.class)
                .hasMessage("10 messages were sent, 9 came, 0 of them wrong");
        assertThatThrownBy(() -> new ReaderBench.Reading(10, 10, 1, 1, 1).verify())
                .isInstanceOf(WrongResultException.class);
        assertThatThrownBy(() -> new ReaderBench.Reading(0, 0, 0, 1, 1).verify())
                .isInstanceOf(WrongResultException.class);
    }

    private static long children() {
        return ProcessHandle.current()
                .descendants()
                .filter(ProcessHandle::isAlive)
                .count();
    }
}
