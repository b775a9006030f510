package dev.msgrelay.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.PublishOutcome;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is kept, found again by its number, also across the end of the ring. */
class SentFramesTest {
    private static final int CAPACITY = 100;

    private final SendQueue queue = new SendQueue(CAPACITY, false, () -> {});
    private final List<String> told = new ArrayList<>();
    private final SentFrames sent = new SentFrames(
            queue, (number, sequence) -> told.add(number + "@" + sequence + " of " + queue.forgottenMessages()));

    @Test
    void anAckForgetsAllUpToItsNumberAfterItWasTold() throws Exception {
        sent.number(5);
        publish(0, 1, 2); // frames of 8, 9 and 10 bytes, numbers 5, 6 and 7
        write(27);
        sent.acknowledged(6, 60);
        assertThat(queue.forgottenMessages()).isEqualTo(2);
        assertThat(sent.first()).isEqualTo(7);
        assertThat(sent.written()).isEqualTo(10);
        sent.acknowledged(6, 60);
        sent.acknowledged(1, 10);
        sent.acknowledged(7, 70);
        assertThat(sent.first()).isEqualTo(8);
        assertThat(queue.forgottenBytes()).isEqualTo(27);
        assertThat(told).containsExactly("6@60 of 0", "7@70 of 2");
    }

    @Test
    void anAckOfWhatWasNotSentIsAFault() throws Exception {
        sent.number(1);
        publish(0, 1, 2);
        write(16); // the second but for its last byte
        assertFault(2, "message 2, which was not sent: of those from 1 on 1 were");
        assertFault(3, "message 3");
        assertFault(Long.MAX_VALUE, "message " + Long.MAX_VALUE);
        assertThat(queue.forgottenMessages()).isZero();
        sent.acknowledged(1, 1);
        assertFault(2, "message 2, which was not sent: of those from 2 on 0 were");
    }

    @Test
    void whatWelcomeHasAcceptedIsForgottenAsItIsWrittenOnceMore() throws Exception {
        sent.number(1);
        publish(0, 1, 2);
        write(17);
        sent.restart();
        assertThat(sent.written()).isZero();
        assertThatThrownBy(() -> sent.accepted(3))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining("WELCOME");
        sent.accepted(2);
        assertThat(sent.first()).as("to be counted by the relay").isEqualTo(1);
        sent.acknowledged(2, 20);
        assertThat(told).as("once").containsExactly("2@0 of 0");
        write(10);
        assertThat(sent.first()).isEqualTo(2);
        assertThat(queue.forgottenMessages()).isEqualTo(1);
        write(17);
        assertThat(queue.forgottenMessages()).isEqualTo(2);
        sent.acknowledged(3, 30);
        assertThat(queue.forgottenMessages()).isEqualTo(3);
    }

    @Test
    void whatWelcomeHasAcceptedIsNotWrittenToAThirdConnection() throws Exception {
        sent.number(1);
        publish(0, 1, 2);
        write(27);
        sent.restart();
        sent.accepted(2);
        write(3);
        sent.restart();
        assertThat(sent.first()).isEqualTo(3);
        assertThat(queue.prepare(sent.written(), CAPACITY)).as("the rest").isEqualTo(10);
    }

    @Test
    void knowsWhereAControlFrameMayStand() {
        publish(0, 1, 2);
        assertThat(sent.toBoundary()).isZero();
        write(1);
        assertThat(sent.toBoundary()).isEqualTo(7);
        write(7);
        assertThat(sent.toBoundary()).isZero();
        write(12);
        assertThat(sent.toBoundary()).isEqualTo(7);
    }

    @Test
    void withoutAcksWholeFramesAreForgottenAndTheHalfOneIsKept() {
        publish(0, 1, 2);
        write(9);
        sent.forgetWritten();
        assertThat(queue.forgottenMessages()).isEqualTo(1);
        assertThat(sent.written()).isEqualTo(1);
        assertThat(sent.messagesOfConnection()).isEqualTo(1);
        assertThat(sent.bytesOfConnection()).as("of whole messages").isEqualTo(8);
        assertThat(sent.toBoundary()).isEqualTo(8);
        write(8);
        sent.forgetWritten();
        sent.restart();
        assertThat(queue.prepare(sent.written(), CAPACITY)).isEqualTo(10);
    }

    /** Against a list of numbers, through many rounds of the ring. */
    @Test
    void staysTrueThroughManyRoundsOfTheRing() throws Exception {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        ArrayDeque<Integer> kept = new ArrayDeque<>();
        sent.number(1);
        long next = 1;
        long first = 1;
        for (int i = 0; i < 20_000; i++) {
            int length = random.nextInt(20);
            if (queue.offer(1, ByteBuffer.allocate(length)) == PublishOutcome.ACCEPTED) {
                kept.add(8 + length);
                next++;
            }
            int prepared = queue.prepare(sent.written(), random.nextInt(40));
            sent.wrote(prepared);
            int whole = 0;
            long lastWhole = first - 1;
            for (int frame : kept) {
                if (whole + frame > sent.written()) {
                    break;
                }
                whole += frame;
                lastWhole++;
            }
            if (random.nextInt(3) == 0 && lastWhole >= first) {
                long number = first + random.nextInt((int) (lastWhole - first + 1));
                sent.acknowledged(number, number);
                for (; first <= number; first++) {
                    kept.remove();
                }
            }
            if (random.nextInt(50) == 0) {
                sent.restart();
            }
            assertThat(sent.first()).as("seed %d", seed).isEqualTo(first);
            assertThat(queue.forgottenMessages()).as("seed %d", seed).isEqualTo(first - 1);
        }
        assertThat(next).isGreaterThan(CAPACITY);
    }

    private void assertFault(long number, String what) {
        assertThatThrownBy(() -> sent.acknowledged(number, 1))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining(what);
    }

    private void publish(int... lengths) {
        for (int length : lengths) {
            assertThat(queue.offer(1, ByteBuffer.allocate(length))).isSameAs(PublishOutcome.ACCEPTED);
        }
    }

    private void write(int bytes) {
        assertThat(queue.prepare(sent.written(), bytes)).isEqualTo(bytes);
        sent.wrote(bytes);
    }
}
