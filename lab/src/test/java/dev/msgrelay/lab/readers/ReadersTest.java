package dev.msgrelay.lab.readers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.lab.WrongResultException;
import dev.msgrelay.lab.readers.Client.Ladder;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Readers as processes. */
class ReadersTest {
    private static final Duration TIME = Duration.ofMillis(50);

    @Test
    void aClientReadsAllThatItIsSentAndStaysWarm() throws Exception {
        long before = children();
        StreamSender sender = new StreamSender(StreamSender.BODY, StreamSender.LARGE);
        try (Readers readers = new Readers()) {
            for (boolean check : new boolean[] {true, false}) {
                for (Ladder step : List.of(Ladder.BUFFERED, Ladder.RELAY)) {
                    Readers.Reading reading = readers.read(step, sender, TIME, check);
                    assertThatCode(() -> reading.verify()).doesNotThrowAnyException();
                    assertThat(reading.reads()).isPositive();
                    assertThat(reading.nanos()).isPositive();
                }
            }
            assertThat(children()).isEqualTo(before + 2);
        }
    }

    @Test
    void whatIsMissingOrWrongFails() {
        assertThatThrownBy(() -> new Readers.Reading(10, 9, 0, 1, 1).verify())
                .isInstanceOf(WrongResultException.class)
                .hasMessage("10 messages were sent, 9 came, 0 of them wrong");
        assertThatThrownBy(() -> new Readers.Reading(10, 10, 1, 1, 1).verify())
                .isInstanceOf(WrongResultException.class);
        assertThatThrownBy(() -> new Readers.Reading(0, 0, 0, 1, 1).verify()).isInstanceOf(WrongResultException.class);
    }

    private static long children() {
        return ProcessHandle.current().children().filter(ProcessHandle::isAlive).count();
    }
}
