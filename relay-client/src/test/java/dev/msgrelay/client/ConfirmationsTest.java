package dev.msgrelay.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.PublishOutcome;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** PINGs behind messages and what their PONGs confirm, without sockets, by a clock of the test. */
class ConfirmationsTest {
    private static final int CAPACITY = 3 << 20;
    private static final int HEARTBEAT_MS = 100;
    private static final long MESSAGE = 0;

    private final SendQueue queue = new SendQueue(CAPACITY, true, () -> {});
    private final SentFrames sent = new SentFrames(queue, (number, sequence) -> {});
    private long now;
    private long drawn;
    private final Confirmations confirmations =
            new Confirmations(queue, sent, () -> TimeUnit.MILLISECONDS.toNanos(now), () -> ++drawn);

    // What is under way to the relay on this connection, in order: messages, and the ids of PINGs.
    private final Deque<Long> wire = new ArrayDeque<>();
    private final Deque<Long> pongs = new ArrayDeque<>();
    private long read;
    private long lastPing;

    @BeforeEach
    void connect() {
        sent.restart();
        confirmations.restart();
        confirmations.startAsking(HEARTBEAT_MS);
        wire.clear();
        pongs.clear();
    }

    @Test
    void withoutMessagesNoPingIsDueAndNoTimerRuns() {
        now = 10 * HEARTBEAT_MS;
        assertThat(confirmations.isDue()).isFalse();
        assertThat(confirmations.waitMillis()).isZero();
        publish(1);
        assertThat(confirmations.isDue()).as("accepted, and not sent").isFalse();
        assertThat(confirmations.waitMillis()).isZero();
    }

    @Test
    void aPingIsDueAHeartbeatAfterTheFirstMessageAndThenAfterTheLastPing() throws Exception {
        publish(1);
        turn(CAPACITY);
        turn(CAPACITY);
        assertThat(confirmations.waitMillis()).isEqualTo(HEARTBEAT_MS + 1);
        now += HEARTBEAT_MS - 1;
        assertThat(confirmations.isDue()).isFalse();
        now++;
        turn(CAPACITY);
        assertThat(lastPing).isEqualTo(1);
        publish(1);
        turn(CAPACITY);
        now += 10 * HEARTBEAT_MS;
        assertThat(confirmations.isDue()).as("one is unanswered").isFalse();
        assertThat(confirmations.waitMillis()).isZero();
        relayReads(2);
        pongArrives();
        assertThat(queue.confirmedMessages()).isEqualTo(1);
        turn(CAPACITY);
        assertThat(lastPing).as("at once: the last one was long ago").isEqualTo(2);
        confirmations.answered(2);
        assertThat(queue.confirmedMessages()).isEqualTo(2);
        assertThat(confirmations.waitMillis()).isZero();
    }

    @Test
    void aPingIsDueAfterAMebibyte() throws Exception {
        publish((1 << 20) - 2 * FrameLayout.HEADER_LENGTH - 1);
        turn(CAPACITY);
        publish(0);
        turn(CAPACITY);
        assertThat(confirmations.isDue()).as("a byte less than a mebibyte").isFalse();
        publish(0);
        turn(CAPACITY);
        turn(CAPACITY);
        assertThat(lastPing).isEqualTo(1);
        assertThat(wire).containsExactly(MESSAGE, MESSAGE, MESSAGE, 1L);
    }

    @Test
    void aPingStandsBetweenTwoMessages() throws Exception {
        publish(10);
        publish(10);
        turn(20);
        flush();
        turn(CAPACITY);
        assertThat(lastPing).as("what is wanted is not sent yet").isZero();
        turn(CAPACITY);
        assertThat(wire).containsExactly(MESSAGE, MESSAGE, 1L);
    }

    @Test
    void onlyThePongToTheLastPingOfThisConnectionConfirms() throws Exception {
        publish(1);
        turn(CAPACITY);
        flush();
        confirmations.answered(1);
        assertThat(queue.confirmedMessages()).as("before the PING").isZero();
        turn(CAPACITY);
        confirmations.answered(0);
        confirmations.answered(2);
        assertThat(queue.confirmedMessages()).isZero();
        confirmations.lost();
        connect();
        confirmations.answered(1);
        assertThat(queue.confirmedMessages()).as("of a former connection").isZero();
        assertThat(flush()).as("told").isEqualTo(1);
        assertThat(flush()).as("told once").isZero();
    }

    @Test
    void aRelayThatReadsNoMoreIsNotAsked() throws Exception {
        publish(1);
        turn(CAPACITY);
        assertThat(confirmations.areAwaited()).isTrue();
        confirmations.stopAsking();
        now += 10 * HEARTBEAT_MS;
        flush();
        assertThat(confirmations.isDue()).isFalse();
        assertThat(confirmations.waitMillis()).isZero();
        assertThat(confirmations.areAwaited()).isFalse();
        assertThat(confirmations.open()).isEqualTo(1);
    }

    /** What is told is never less than what the relay lacks, and nothing is in doubt at the end but what was lost. */
    @Test
    void anyOrderOfEventsTellsAtLeastWhatTheRelayLacks() throws Exception {
        long seed = new Random().nextLong();
        System.out.println("anyOrderOfEventsTellsAtLeastWhatTheRelayLacks: seed " + seed);
        Random random = new Random(seed);
        long lost = 0;
        long told = 0;
        for (int step = 0; step < 200_000; step++) {
            switch (random.nextInt(12)) {
                case 0, 1, 2 -> publish(random.nextInt(random.nextInt(50) == 0 ? 1 << 19 : 100));
                case 3, 4, 5 -> turn(1 + random.nextInt(random.nextBoolean() ? 64 : CAPACITY));
                case 6, 7 -> relayReads(random.nextInt(20));
                case 8, 9 -> pongArrives();
                case 10 -> now += random.nextInt(HEARTBEAT_MS);
                default -> {
                    switch (random.nextInt(20)) {
                        case 0 -> {
                            lost += confirmations.open();
                            confirmations.lost();
                            connect();
                        }
                        case 1 -> confirmations.answered(lastPing + 1 + random.nextInt(3));
                        case 2 -> {
                            flush();
                            told = lost;
                        }
                        default -> confirmations.answered(-random.nextInt(3));
                    }
                }
            }
            long accepted = queue.acceptedMessages();
            assertThat(queue.unsettledMessages() + told)
                    .as("step %d of seed %d", step, seed)
                    .isGreaterThanOrEqualTo(accepted - read);
        }
        queue.close(System.nanoTime());
        for (int turns = 0; !queue.isDrained() || confirmations.areAwaited(); turns++) {
            assertThat(turns).as("bounded; seed %d", seed).isLessThan(100);
            turn(CAPACITY);
            relayReads(Integer.MAX_VALUE);
            pongArrives();
        }
        assertThat(queue.confirmedMessages() + lost).as("seed %d", seed).isEqualTo(queue.acceptedMessages());
        assertThat(queue.unsettledMessages()).as("seed %d", seed).isEqualTo(lost - told);
        assertThat(lost).as("seed %d", seed).isPositive();
    }

    private void publish(int length) {
        PublishOutcome outcome = queue.offer(1, ByteBuffer.allocate(length));
        assertThat(outcome).isIn(PublishOutcome.ACCEPTED, PublishOutcome.FULL);
    }

    /** Asks without a wait; returns what is told. */
    private long flush() throws InterruptedException {
        return queue.awaitSettled(System.nanoTime());
    }

    /** As the I/O thread: a PING if it is due and may stand here, and a write of so many bytes at most. */
    private void turn(int most) {
        int bytes = most;
        if (confirmations.isDue()) {
            int toBoundary = sent.toBoundary();
            if (toBoundary == 0) {
                assertThat(wire.stream().mapToLong(item -> item).sum() + pongs.size())
                        .as("unanswered PINGs")
                        .isZero();
                lastPing = PingFrame.id(
                        ByteBuffer.wrap(confirmations.ping().array(), FrameLayout.HEADER_LENGTH, PingFrame.MIN_LENGTH));
                confirmations.asked();
                wire.add(lastPing);
            } else {
                bytes = Math.min(most, toBoundary);
            }
        }
        long before = sent.messagesOfConnection();
        sent.wrote(queue.prepare(sent.written(), bytes));
        sent.forgetWritten();
        for (long i = before; i < sent.messagesOfConnection(); i++) {
            wire.add(MESSAGE);
        }
    }

    private void relayReads(int most) {
        for (int i = 0; i < most && !wire.isEmpty(); i++) {
            long item = wire.remove();
            if (item == MESSAGE) {
                read++;
            } else {
                pongs.add(item);
            }
        }
    }

    private void pongArrives() {
        if (!pongs.isEmpty()) {
            confirmations.answered(pongs.remove());
        }
    }
}
