package dev.msgrelay.server.attack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.TestRelay;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Frames that are announced and not sent, and many that are sent slowly: memory is for those that send. */
class UnfinishedFramesTest {
    private static final int LARGE = 1 << 20;
    private static final int ATTACKERS = 1000;
    /** More than twice as many as there is memory for, so that the line moves on twice. */
    private static final int BEGUN = 80;

    private static final int HONEST = 40;
    private static final int PIECES = 16;
    private static final long BETWEEN_PIECES_MILLIS = 50;

    /** Memory for 31 of them, and nobody else has to wait for it: not even one whose frames are cut by reads. */
    @Test
    void announcedAndNotSent() throws Exception {
        try (MemoryWatch memory = new MemoryWatch();
                TestRelay relay = AttackRelay.start(b -> b.frameTimeout(Duration.ofSeconds(2)));
                HealthyPair pair = AttackRelay.pair(relay);
                Crowd attackers = new Crowd()) {
            pair.begin();
            attackers.connect(relay.publish(), ATTACKERS);
            attackers.offer(new Frames().header(1, LARGE).bytes());
            Await.until(
                    () -> "all were accepted: " + relay.stats(),
                    () -> relay.stats().publishers() + AttackRelay.closes(relay) >= ATTACKERS);
            pair.push(4 << 20);
            pair.end("1,000 announced bodies");
            memory.assertWithinBudget(relay);
            AttackRelay.assertNoFault(relay);
            attackers.leave();
            // The pair has two publishers.
            relay.awaitPublishers(2);
            pair.push(4 << 20);
            pair.finish();
        }
    }

    /** Some of each body is sent, so that nobody can tell the attackers from honest ones before their time is over. */
    @Tag("thorough")
    @Test
    void begunAndNotFinished() throws Exception {
        try (MemoryWatch memory = new MemoryWatch();
                TestRelay relay = AttackRelay.start(b -> b.frameTimeout(Duration.ofSeconds(1)));
                HealthyPair pair = AttackRelay.pair(relay);
                Crowd attackers = new Crowd()) {
            pair.begin();
            attackers.connect(relay.publish(), BEGUN);
            attackers.offer(new Frames().header(1, LARGE).raw(new byte[100_000]).bytes());
            pair.push(4 << 20);
            pair.end(BEGUN + " begun bodies");
            memory.assertWithinBudget(relay);
            attackers.awaitEnds("their time is over");
            assertThat(relay.closed(CloseReason.FRAME_TIMEOUT)).isEqualTo(BEGUN);
            AttackRelay.assertNoFault(relay);
            pair.finish();
        }
    }

    /** There is memory for seven at a time; they all get their turn. */
    @Test
    void honestOnesTakeTurns() throws Exception {
        try (MemoryWatch memory = new MemoryWatch();
                // What has waited comes at once then: the subscriber that checks every byte may hold it back.
                TestRelay relay =
                        AttackRelay.start(b -> b.assemblyBytes(8 << 20).slowSubscriber(Policy.BACKPRESSURE));
                HealthyPair pair = AttackRelay.pair(relay);
                Crowd honest = new Crowd()) {
            pair.begin();
            honest.connect(relay.publish(), HONEST);
            sendInPieces(honest);
            Await.until(
                    () -> "a frame of each: " + relay.stats(),
                    () -> arrived(pair) == HONEST || pair.received().wrong() != null);
            pair.end(HONEST + " frames of 1 MiB");
            memory.assertWithinBudget(relay);
            assertThat(relay.stats().closes()).isEmpty();
            pair.finish();
        }
    }

    private static int arrived(HealthyPair pair) {
        int arrived = 0;
        for (int i = 0; i < HONEST; i++) {
            arrived += pair.received().countOf(HealthyPair.FIRST_OTHER + i);
        }
        return arrived;
    }

    /** A piece of each in turn, on a schedule; whose socket is full is passed over. */
    private static void sendInPieces(Crowd honest) {
        ByteBuffer[] left = new ByteBuffer[HONEST];
        for (int i = 0; i < HONEST; i++) {
            left[i] = ByteBuffer.allocate(0);
        }
        int[] taken = new int[HONEST];
        long start = System.nanoTime();
        Await.until("all is sent", () -> {
            int due = (int) Math.min(PIECES, 1 + (System.nanoTime() - start) / 1_000_000 / BETWEEN_PIECES_MILLIS);
            boolean all = due == PIECES;
            for (int i = 0; i < HONEST; i++) {
                if (!left[i].hasRemaining() && taken[i] < due) {
                    left[i] = piece(HealthyPair.FIRST_OTHER + i, taken[i]++);
                }
                all &= Crowd.offer(honest.get(i), left[i]) && taken[i] == PIECES;
            }
            return all;
        });
    }

    /** One piece of a publisher's only frame; made when it is due, since all of them do not fit into the test's heap. */
    private static ByteBuffer piece(int publisher, int index) {
        int type = Frames.type(publisher, 0);
        int bytes = LARGE / PIECES;
        ByteBuffer piece = ByteBuffer.allocate(8 + bytes);
        if (index == 0) {
            piece.putInt(type).putInt(LARGE);
        }
        for (int i = index * bytes; i < (index + 1) * bytes; i++) {
            piece.put(Frames.bodyByte(type, i));
        }
        return piece.flip();
    }
}
