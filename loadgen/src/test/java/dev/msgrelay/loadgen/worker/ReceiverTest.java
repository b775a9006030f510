package dev.msgrelay.loadgen.worker;

import static org.assertj.core.api.Assertions.assertThat;

import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.load.FrameBatch;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ErrorFrame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A subscriber at the end of a connection that misbehaves in known ways. */
class ReceiverTest {
    private static final long PRIMED_MILLIS = 10_000;
    private static final long PAST = 0;

    private final Control control = new Control();
    private Loopback loopback;

    @BeforeEach
    void connect() throws IOException {
        loopback = Loopback.open();
    }

    @AfterEach
    void close() throws IOException {
        loopback.close();
    }

    @Test
    void aCleanStreamIsReportedClean() throws Exception {
        assertThat(counts(resultOf(5, 0, 1, 2, 3, 4))).containsExactly(0, 0, 0);
    }

    @Test
    void aLossIsReported() throws Exception {
        assertThat(counts(resultOf(5, 0, 1, 3, 4))).containsExactly(1, 0, 0);
    }

    @Test
    void aDuplicateIsReported() throws Exception {
        assertThat(counts(resultOf(5, 0, 1, 2, 2, 3, 4))).containsExactly(0, 1, 0);
    }

    @Test
    void aSwapIsReported() throws Exception {
        assertThat(counts(resultOf(5, 0, 1, 3, 2, 4))).containsExactly(0, 0, 1);
    }

    @Test
    void aMissingTailIsReportedAsSuch() throws Exception {
        JsonObject result = resultOf(5, 0, 1, 2);
        assertThat(counts(result)).containsExactly(2, 0, 0);
        assertThat(result.getLong("tail")).isEqualTo(2);
    }

    @Test
    void onlyWhatComesWithinTheWindowIsMeasured() throws Exception {
        control.onCommand("run 0 0 " + Long.MAX_VALUE);
        JsonObject result = resultOf(3, 0, 1, 2);
        assertThat(result.getLong("messages")).isEqualTo(3);
        assertThat(result.getLong("total")).isEqualTo(3);
    }

    @Test
    void whatComesBeforeTheWindowIsNotMeasured() throws Exception {
        control.onCommand("run 0 " + (Long.MAX_VALUE - 1) + " " + Long.MAX_VALUE);
        JsonObject result = resultOf(3, 0, 1, 2);
        assertThat(result.getLong("messages")).isZero();
        assertThat(result.getLong("total")).isEqualTo(3);
    }

    @Test
    void theReasonThatTheRelayGivesIsPassedOn() throws Exception {
        Receiver receiver = receiver();
        send(0);
        assertThat(receiver.awaitPrimed(PRIMED_MILLIS)).isTrue();
        loopback.far().write(ErrorFrame.encode(CloseReason.SLOW_SUBSCRIBER, "lag of 9 over the limit of 8"));
        loopback.far().close();
        awaitClosed(receiver);
        receiver.stop();
        JsonObject result = receiver.result(0, Map.of(0, 4L));
        assertThat(result.getString("closed")).isEqualTo("lag of 9 over the limit of 8");
        assertThat(result.getInt("closeReason")).isEqualTo(CloseReason.SLOW_SUBSCRIBER.code());
        assertThat(counts(result)).containsExactly(3, 0, 0);
    }

    @Test
    void aConnectionThatEndsBeforeTheFirstMessageIsNotPrimed() throws Exception {
        Receiver receiver = receiver();
        loopback.far().close();
        assertThat(receiver.awaitPrimed(PRIMED_MILLIS)).isFalse();
        receiver.stop();
    }

    /** Whether the close hits the thread within a read or between two of them, it is not the relay's doing. */
    @Test
    void stoppingInTheMiddleOfAStreamIsNoFailure() throws Exception {
        Thread sender = new Thread(() -> {
            try {
                for (long number = 0; ; number++) {
                    send(number);
                }
            } catch (IOException e) {
                // the subscriber has gone
            }
        });
        Receiver receiver = receiver();
        sender.start();
        assertThat(receiver.awaitPrimed(PRIMED_MILLIS)).isTrue();
        receiver.stop();
        sender.join(PRIMED_MILLIS);
        assertThat(receiver.closed()).isNull();
    }

    private Receiver receiver() {
        return new Receiver(loopback.near(), 1, 1, 0, 4_096, control);
    }

    private JsonObject resultOf(long sent, long... numbers) throws Exception {
        Receiver receiver = receiver();
        send(numbers);
        loopback.far().shutdownOutput();
        assertThat(receiver.awaitPrimed(PRIMED_MILLIS) || receiver.closed() != null)
                .isTrue();
        awaitClosed(receiver);
        receiver.stop();
        return receiver.result(0, Map.of(0, sent));
    }

    /** The end of the stream makes the subscriber's thread end, whatever came before has been handled then. */
    private static void awaitClosed(Receiver receiver) throws InterruptedException {
        receiver.awaitEnd(PRIMED_MILLIS);
        assertThat(receiver.closed()).isNotNull();
    }

    private void send(long... numbers) throws IOException {
        FrameBatch batch = new FrameBatch(0, 20, numbers.length);
        for (long number : numbers) {
            batch.add(number, PAST);
        }
        ByteBuffer frames = batch.take();
        while (frames.hasRemaining()) {
            loopback.far().write(frames);
        }
    }

    private static int[] counts(JsonObject result) {
        return new int[] {result.getInt("lost"), result.getInt("duplicated"), result.getInt("reordered")};
    }
}
