package dev.msgrelay.loadgen.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.load.LoadMessage;
import dev.msgrelay.protocol.FrameReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The open-loop schedule, with the clock as a parameter. */
class PacedTest {
    private static final int RATE = 1_000;
    private static final long MILLI = 1_000_000;
    private static final long START = 50 * MILLI;
    private static final Window WINDOW = new Window(START, START + 10 * MILLI, START + 30 * MILLI);

    private Loopback loopback;
    private PublishConnection connection;
    private Paced paced;

    @BeforeEach
    void connect() throws IOException {
        loopback = Loopback.open();
        connection = new PublishConnection(0, 16, loopback.near());
        paced = new Paced(List.of(connection), WINDOW, RATE, 1);
    }

    @AfterEach
    void close() throws IOException {
        loopback.close();
    }

    @Test
    void nothingLeavesBeforeItsTime() throws IOException {
        assertThat(paced.sendDue(START - 1)).isEqualTo(START);
        assertThat(connection.messages()).isZero();
        assertThat(paced.sendDue(START)).isEqualTo(START + MILLI);
        assertThat(connection.messages()).isOne();
    }

    @Test
    void afterAStallAllThatIsDueLeavesWithItsIntendedTime() throws IOException {
        paced.sendDue(START);
        assertThat(paced.sendDue(START + 5 * MILLI + 7)).as("the grid stays").isEqualTo(START + 6 * MILLI);
        assertThat(receive(6))
                .containsExactly(
                        START,
                        START + MILLI,
                        START + 2 * MILLI,
                        START + 3 * MILLI,
                        START + 4 * MILLI,
                        START + 5 * MILLI);
    }

    @Test
    void lateMessagesOfTheMeasuredPartAreCounted() throws IOException {
        paced.sendDue(START + 9 * MILLI);
        assertThat(paced.late()).as("the warm-up does not count").isZero();
        paced.sendDue(START + 14 * MILLI);
        // 10, 11 and 12 ms are more than one millisecond ago, 13 and 14 are not.
        assertThat(paced.late()).isEqualTo(3);
        assertThat(paced.worstNanos()).isEqualTo(4 * MILLI);
    }

    @Test
    void exactlyTheMessagesOfTheWindowAreMeasuredAndNothingLeavesAfterIt() throws IOException {
        for (long now = START; now < START + 60 * MILLI; now += 3 * MILLI / 2) {
            paced.sendDue(now);
        }
        assertThat(connection.messages()).isEqualTo(30);
        assertThat(connection.messagesMeasured()).isBetween(19L, 20L);
    }

    private List<Long> receive(int count) throws IOException {
        List<Long> times = new ArrayList<>();
        FrameReader reader = new FrameReader();
        while (times.size() < count) {
            reader.read(loopback.far(), (type, body) -> times.add(LoadMessage.timeAt(body, body.position())));
        }
        return times;
    }
}
