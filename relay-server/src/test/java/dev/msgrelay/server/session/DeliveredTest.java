package dev.msgrelay.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.log.Mark;
import org.junit.jupiter.api.Test;

/** What a subscriber has been handed, while it gets everything, some, jumps, and goes back. */
class DeliveredTest {
    private final Delivered delivered = new Delivered();

    private static Mark mark(long position, long sequence) {
        Mark mark = new Mark();
        mark.set(position, sequence);
        return mark;
    }

    @Test
    void everythingIsTheDifferenceOfTwoCursors() {
        delivered.everythingFrom(mark(1000, 11));
        assertThat(delivered.messages(11)).isZero();
        assertThat(delivered.bytes(1000)).isZero();
        assertThat(delivered.messages(21)).isEqualTo(10);
        assertThat(delivered.bytes(1500)).isEqualTo(500);
        // To the packet only: what a report finds may lie before the start.
        assertThat(delivered.messages(9)).isZero();
    }

    @Test
    void someAreCounted() {
        delivered.everythingFrom(mark(1000, 11));
        delivered.upTo(mark(1500, 21));
        assertThat(delivered.everything()).isFalse();
        delivered.add(3, 77);
        delivered.add(0, 0);
        delivered.add(2, 23);
        // However far its cursor has gone meanwhile.
        assertThat(delivered.messages(1_000_000)).isEqualTo(15);
        assertThat(delivered.bytes(1_000_000)).isEqualTo(600);
        delivered.everythingFrom(mark(9000, 101));
        assertThat(delivered.messages(106)).isEqualTo(20);
        assertThat(delivered.bytes(9100)).isEqualTo(700);
    }

    @Test
    void aJumpForwardsOrBackAddsNothing() {
        delivered.everythingFrom(mark(1000, 11));
        delivered.upTo(mark(1100, 12));
        delivered.everythingFrom(mark(5000, 51));
        assertThat(delivered.messages(52)).isEqualTo(2);
        delivered.upTo(mark(5100, 52));
        delivered.everythingFrom(mark(200, 3));
        assertThat(delivered.messages(3)).isEqualTo(2);
        assertThat(delivered.bytes(200)).isEqualTo(200);
        assertThat(delivered.messages(13)).isEqualTo(12);
    }

    /** To end what has ended, as a jump of a filtered subscriber does, changes nothing. */
    @Test
    void endedTwiceIsCountedOnce() {
        delivered.everythingFrom(mark(1000, 11));
        delivered.upTo(mark(1100, 12));
        delivered.upTo(mark(9000, 99));
        assertThat(delivered.messages(99)).isEqualTo(1);
        assertThat(delivered.bytes(9000)).isEqualTo(100);
    }
}
