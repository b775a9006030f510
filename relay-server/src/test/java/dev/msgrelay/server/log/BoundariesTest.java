package dev.msgrelay.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** From a position to the next frame boundary and its message's number: what a cut or a skip goes by. */
class BoundariesTest {
    private final LogRig rig = new LogRig();
    private final PacketLog log = rig.log;
    private final Mark head = new Mark();
    private final Mark found = new Mark();

    @AfterEach
    void close() {
        rig.close();
    }

    /** Packets of {@code messages} messages of 20 bytes each. */
    private void packets(int count, int messages) {
        for (int i = 0; i < count; i++) {
            if (log.head().position() > 0) {
                log.packetStartsAt(0, 0);
            }
            for (int m = 0; m < messages; m++) {
                rig.append(20);
            }
        }
        log.head().read(head);
    }

    @Test
    void aPositionWithinAPacketLeadsToTheNextOne() {
        packets(3, 5);
        assertBoundary(0, 0, 1);
        assertBoundary(1, 100, 6);
        assertBoundary(99, 100, 6);
        assertBoundary(100, 100, 6);
        assertBoundary(101, 200, 11);
    }

    @Test
    void withinTheOpenPacketTheHeadIsTheBoundary() {
        packets(3, 5);
        assertBoundary(201, 300, 16);
        assertBoundary(299, 300, 16);
        assertBoundary(300, 300, 16);
    }

    @Test
    void aPacketBehindTheCallersHeadIsNotHandedOut() {
        packets(2, 5);
        Mark before = new Mark();
        before.copy(head);
        packets(3, 5);
        // The caller knows the head of before only: nothing behind it.
        assertThat(log.boundaryAtOrBehind(250, before, found)).isTrue();
        assertThat(found.position()).isEqualTo(before.position());
        assertThat(found.sequence()).isEqualTo(before.sequence());
    }

    @Test
    void theIndexRemembersAtLeastWhatTheLogHolds() {
        packets(400, 2);
        for (long p = log.tail(); p < head.position(); p++) {
            long packet = (p + 39) / 40;
            assertBoundary(p, packet * 40, 2 * packet + 1);
        }
    }

    @Test
    void sequencesNearAPositionAreThoseOfItsPacket() {
        packets(3, 5);
        assertThat(log.sequenceNear(0)).isEqualTo(1);
        assertThat(log.sequenceNear(99)).isEqualTo(1);
        assertThat(log.sequenceNear(100)).isEqualTo(6);
        assertThat(log.sequenceNear(250)).isEqualTo(11);
    }

    @Test
    void aMessageLeadsToThePacketThatItLiesIn() {
        packets(3, 5);
        for (int sequence = 1; sequence <= 15; sequence++) {
            assertThat(log.packetOf(sequence, found)).isTrue();
            assertThat(found.position()).isEqualTo((sequence - 1) / 5 * 100);
            assertThat(found.sequence()).isEqualTo((sequence - 1) / 5 * 5 + 1);
        }
        assertThat(log.packetOf(0, found)).isFalse();
        packets(400, 2);
        assertThat(log.packetOf(1, found)).as("long forgotten").isFalse();
        // Its slot is the one that may be under way for the next packet: whatever is there is not believed.
        long oldest = head.sequence();
        while (log.packetOf(oldest - 1, found)) {
            oldest = found.sequence();
        }
        assertThat(head.sequence() - oldest).isEqualTo(2 * (PacketLog.indexCapacity(LogRig.LOG, LogRig.PACKET) - 1));
        assertThat(log.boundaryAtOrBehind(0, head, found)).as("long forgotten").isFalse();
    }

    /** A packet that starts among what is appended next is where its bytes and messages say. */
    @Test
    void aPacketThatStartsWithinTheNextRun() {
        rig.append(60);
        log.packetStartsAt(40, 2);
        log.append(java.nio.ByteBuffer.allocateDirect(100), 0, 100, 5);
        log.publish();
        log.head().read(head);
        assertThat(log.openPacketBytes()).isEqualTo(60);
        assertBoundary(1, 100, 4);
        assertBoundary(101, 160, 7);
    }

    @Test
    void messagesThatLieAheadAreCountedFromTheirPacketOn() {
        packets(3, 5);
        assertThat(log.messagesFrom(0, head)).isEqualTo(15);
        assertThat(log.messagesFrom(99, head)).isEqualTo(15);
        assertThat(log.messagesFrom(100, head)).isEqualTo(10);
        assertThat(log.messagesFrom(299, head)).isEqualTo(5);
        assertThat(log.messagesFrom(300, head)).isZero();
        assertThat(log.messagesFrom(301, head)).isZero();
        packets(400, 2);
        // What the log has dropped is not ahead of anybody any more.
        long held = head.sequence() - log.sequenceNear(log.tail());
        assertThat(log.messagesFrom(0, head)).isEqualTo(held).isPositive();
    }

    private void assertBoundary(long position, long boundary, long sequence) {
        assertThat(log.boundaryAtOrBehind(position, head, found)).isTrue();
        assertThat(found.position()).as("boundary at or behind %d", position).isEqualTo(boundary);
        assertThat(found.sequence()).as("its message").isEqualTo(sequence);
    }
}
