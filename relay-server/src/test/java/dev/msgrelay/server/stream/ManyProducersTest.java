package dev.msgrelay.server.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Workers;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Several threads publish runs of random lengths into a small ring, which wraps all the time: nothing is lost, doubled
 * or torn, and each producer's runs stay in its order. What one thread sees of another's writes is what this stresses.
 */
class ManyProducersTest {
    private static final int RUNS = 30_000;

    private final long deadline = System.nanoTime() + Await.LIMIT_NANOS;
    private final Workers workers = new Workers();

    @ParameterizedTest
    @CsvSource({"1, 64", "2, 64", "4, 64", "4, 1024"})
    void perProducerOrderAndNoLoss(int producers, int cells) throws InterruptedException {
        Random seeds = Seeds.random("ManyProducersTest");
        int maxRun = 12 * FrameRing.CELL_BYTES;
        ByteBuf memory = Frames.direct(FrameRing.slabBytes(cells, maxRun));
        try {
            FrameRing ring = new FrameRing(cells, maxRun, memory, () -> {});
            int runsEach = RUNS / producers;
            for (int p = 0; p < producers; p++) {
                int producer = p;
                long seed = seeds.nextLong();
                workers.start("producer-" + p, () -> produce(ring, producer, runsEach, new Random(seed)));
            }
            Check check = new Check(producers);
            while (check.runs < runsEach * producers && !workers.failed()) {
                if (!ring.poll(check)) {
                    pause("the consumer got " + check.runs + " runs");
                }
            }
            workers.join();
            assertThat(ring.poll(check)).isFalse();
            assertThat(check.next).containsOnly(runsEach);
        } finally {
            memory.release();
        }
    }

    private void produce(FrameRing ring, int producer, int runs, Random random) {
        ByteBuffer run = ByteBuffer.allocateDirect(ring.maxRun()).order(ByteOrder.nativeOrder());
        for (int number = 0; number < runs; number++) {
            int length = 8 + random.nextInt(random.nextInt(8) == 0 ? ring.maxRun() - 7 : 100);
            run.putInt(0, producer).putInt(4, number);
            for (int i = 8; i < length; i++) {
                run.put(i, content(producer, number, i));
            }
            long claim = ring.tryClaim(length);
            while (claim == FrameRing.REFUSED) {
                pause("producer " + producer + " waits with run " + number);
                claim = ring.tryClaim(length);
            }
            ring.put(claim, 0, run, 0, length);
            ring.publish(claim, length, 0);
        }
    }

    private void pause(String where) {
        if (System.nanoTime() - deadline > 0) {
            throw new AssertionError("time is up: " + where);
        }
        Thread.yield();
    }

    private static byte content(int producer, int number, int index) {
        return (byte) (producer * 91 + number * 7 + index);
    }

    private static final class Check implements FrameRing.Handler {
        private final int[] next;
        private int runs;

        Check(int producers) {
            next = new int[producers];
        }

        @Override
        public boolean hasRoom() {
            return true;
        }

        @Override
        public void onEvent(ByteBuffer bytes, int offset, int length, int frameLength) {
            int producer = bytes.getInt(offset);
            int number = bytes.getInt(offset + 4);
            if (next[producer] != number) {
                throw new AssertionError(
                        "producer " + producer + ": expected run " + next[producer] + ", got " + number);
            }
            for (int i = 8; i < length; i++) {
                if (bytes.get(offset + i) != content(producer, number, i)) {
                    throw new AssertionError("run " + number + " of producer " + producer + " is torn at byte " + i);
                }
            }
            next[producer]++;
            runs++;
        }
    }
}
