package dev.msgrelay.loadgen.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.message.FrameBatch;
import dev.msgrelay.loadgen.message.LoadMessage;
import dev.msgrelay.loadgen.message.Schedule;
import dev.msgrelay.loadgen.message.SizeTable;
import dev.msgrelay.loadgen.plan.Window;
import dev.msgrelay.protocol.FrameReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PacedTest {
    private static final int RATE = 1_000;
    private static final long MILLI = 1_000_000;
    private static final long START = 50 * MILLI;
    private static final Window WINDOW = new Window(START, START + 10 * MILLI, START + 30 * MILLI);

    private static final SizeTable SIZES = SizeTable.fixed(16);

    private Loopback loopback;
    private PublishConnection connection;
    private Paced paced;
    private long now;
    private long writeTakes;

    @BeforeEach
    void connect() throws IOException {
        loopback = Loopback.open();
        connection = new PublishConnection(0, new Outlet.Raw(loopback.near()));
        paced = paced();
    }

    private Paced paced() {
        return new Paced(
                List.of(connection),
                id -> Schedule.staggered(START, RATE, id, 1),
                WINDOW,
                FrameBatch.ofBytes(SIZES),
                () -> now + writeTakes);
    }

    @AfterEach
    void close() throws IOException {
        loopback.close();
    }

    @Test
    void nothingLeavesBeforeItsTime() throws IOException {
        assertThat(send(paced, START - 1)).isEqualTo(START);
        assertThat(connection.messages()).isZero();
        assertThat(send(paced, START)).isEqualTo(START + MILLI);
        assertThat(connection.messages()).isOne();
    }

    @Test
    void afterAStallAllThatIsDueLeavesWithItsIntendedTime() throws IOException {
        send(paced, START);
        assertThat(send(paced, START + 5 * MILLI + 7)).as("the grid stays").isEqualTo(START + 6 * MILLI);
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
        send(paced, START + 9 * MILLI);
        assertThat(paced.punctuality().late()).as("the warm-up does not count").isZero();
        send(paced, START + 14 * MILLI);
        // 10, 11 and 12 ms are more than one millisecond ago, 13 and 14 are not.
        assertThat(paced.punctuality().late()).isEqualTo(3);
        assertThat(paced.punctuality().worstNanos()).isEqualTo(4 * MILLI);
        assertThat(paced.punctuality().lateness().getTotalCount()).isEqualTo(5);
        assertThat(paced.punctuality().lateness().getValueAtPercentile(50)).isBetween(2 * MILLI, 2 * MILLI + 2_000);
    }

    @Test
    void lateMessagesOfTheRehearsalAreNotReported() throws IOException {
        assertThat(WINDOW.rehearsal().begin()).isBetween(START + 2 * MILLI, START + 3 * MILLI);
        long moment = WINDOW.rehearsal().end() - 1;
        send(paced, moment);
        send(paced, moment);
        assertThat(connection.messages()).isEqualTo(5);
        assertThat(paced.punctuality().late()).isZero();
        assertThat(paced.punctuality().worstNanos()).isZero();
        assertThat(paced.punctuality().lateness().getTotalCount()).isZero();
    }

    @Test
    void aMessageWhoseWriteHadToWaitIsLate() throws IOException {
        send(paced, START + 9 * MILLI);
        writeTakes = MILLI + 1;
        send(paced, START + 10 * MILLI);
        assertThat(paced.punctuality().late()).isOne();
        assertThat(paced.punctuality().worstNanos()).isEqualTo(MILLI + 1);
    }

    @Test
    void exactlyTheMessagesOfTheWindowAreMeasuredAndNothingLeavesAfterIt() throws IOException {
        for (long moment = START; moment < START + 60 * MILLI; moment += 3 * MILLI / 2) {
            send(paced, moment);
        }
        assertThat(connection.messages()).isEqualTo(30);
        assertThat(connection.messagesMeasured()).isBetween(19L, 20L);
    }

    @Test
    void afterAStallAcrossTheBeginWhatWasDueInTheWindowIsCountedAsLate() throws IOException {
        send(paced, START);
        long moment = START + 15 * MILLI;
        assertThat(send(paced, moment)).as("warm-up first").isEqualTo(WINDOW.begin());
        assertThat(paced.punctuality().lateness().getTotalCount()).isZero();
        assertThat(send(paced, moment)).isEqualTo(START + 16 * MILLI);
        // 10 to 13 ms are more than one millisecond ago, 14 and 15 are not.
        assertThat(paced.punctuality().late()).isEqualTo(4);
        assertThat(paced.punctuality().lateness().getTotalCount()).isEqualTo(6);
        assertThat(connection.messagesMeasured()).as("left since the begin").isEqualTo(15);
    }

    @Test
    void whatLeavesAfterTheWindowIsSentButDoesNotCountAsItsTraffic() throws IOException {
        for (long moment = START; moment <= START + 19 * MILLI; moment += MILLI) {
            send(paced, moment);
        }
        assertThat(send(paced, WINDOW.end())).isGreaterThanOrEqualTo(WINDOW.end());
        assertThat(connection.messages()).isEqualTo(30);
        assertThat(connection.messagesMeasured()).as("10 to 19 ms").isEqualTo(10);
        assertThat(connection.bytesMeasured()).isEqualTo(10 * 24);
        assertThat(paced.punctuality().lateness().getTotalCount())
                .as("all had a time to keep")
                .isEqualTo(20);
    }

    @Test
    void longAfterTheWindowTheRestIsGivenUpAndLate() throws IOException {
        for (long moment = START; moment <= START + 19 * MILLI; moment += MILLI) {
            send(paced, moment);
        }
        long moment = WINDOW.end() + Paced.OVERTIME_NANOS;
        assertThat(send(paced, moment)).isEqualTo(WINDOW.end());
        assertThat(connection.messages()).as("20 to 29 ms never leave").isEqualTo(20);
        assertThat(connection.messagesMeasured()).isEqualTo(10);
        assertThat(paced.punctuality().late()).isEqualTo(10);
        assertThat(paced.punctuality().worstNanos()).isEqualTo(moment - START - 20 * MILLI);
        assertThat(paced.punctuality().lateness().getTotalCount()).isEqualTo(20);
    }

    @Test
    void aFineScheduleGoesOutInOneWriteEveryNowAndThen() throws IOException {
        long micro = 1_000;
        Paced fine = fine();
        assertThat(send(fine, START)).isEqualTo(START + Paced.GAP_NANOS);
        assertThat(connection.messages()).isOne();
        assertThat(send(fine, START + Paced.GAP_NANOS - 1)).isEqualTo(START + Paced.GAP_NANOS);
        assertThat(connection.messages()).isOne();
        send(fine, START + Paced.GAP_NANOS);
        assertThat(receive(6)).as("the intended times stay").contains(START + 10 * micro, START + 50 * micro);
    }

    @Test
    void theLastWriteOfAFineScheduleIsWithinTheWindow() throws IOException {
        Paced fine = fine();
        assertThat(send(fine, WINDOW.end() - 20_000)).as("warm-up first").isEqualTo(WINDOW.begin());
        assertThat(send(fine, WINDOW.end() - 20_000)).isEqualTo(WINDOW.end() - 1);
        assertThat(send(fine, WINDOW.end() - 1)).isGreaterThanOrEqualTo(WINDOW.end());
        assertThat(connection.messages()).isEqualTo(3_000);
    }

    private Paced fine() {
        return new Paced(
                List.of(connection),
                id -> Schedule.staggered(START, 100_000, id, 1),
                WINDOW,
                FrameBatch.ofBytes(SIZES),
                () -> now + writeTakes);
    }

    private long send(Paced schedule, long moment) throws IOException {
        now = moment;
        return schedule.sendDue(moment);
    }

    @Test
    void whoNeverGotToTheWindowHasNothingInIt() throws IOException {
        send(paced, START);
        assertThat(send(paced, WINDOW.end() + Paced.OVERTIME_NANOS)).isEqualTo(WINDOW.end());
        assertThat(connection.messages()).isOne();
        assertThat(connection.messagesMeasured()).isZero();
        assertThat(paced.punctuality().late()).as("the warm-up does not count").isEqualTo(20);
    }

    private List<Long> receive(int count) throws IOException {
        List<Long> times = new ArrayList<>();
        FrameReader reader = new FrameReader();
        while (times.size() < count) {
            reader.read(loopback.far(), (type, body) -> times.add(LoadMessage.timeAt(body, body.position(), START)));
        }
        return times;
    }
}
