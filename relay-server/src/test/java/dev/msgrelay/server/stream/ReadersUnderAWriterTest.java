package dev.msgrelay.server.stream;

import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Workers;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

/**
 * Threads take hold of chunks at the tail, where the writer drops them, and hold on: the bytes are those of the chunk
 * that they asked for, from the first look to the last.
 */
class ReadersUnderAWriterTest {
    private static final int ACQUIRED = 8_000;
    private static final int READERS = 2;

    @Test
    void aChunkInHandIsTheOneAskedForAndStays() throws InterruptedException {
        Random seeds = Seeds.random("ReadersUnderAWriterTest");
        AtomicBoolean stop = new AtomicBoolean();
        LongAdder acquired = new LongAdder();
        LongAdder missed = new LongAdder();
        try (LogRig rig = new LogRig()) {
            Workers writer = new Workers().start("writer", () -> {
                while (!stop.get()) {
                    rig.append(333);
                }
            });
            Workers readers = new Workers();
            for (int r = 0; r < READERS; r++) {
                Random random = new Random(seeds.nextLong());
                readers.start("reader-" + r, () -> {
                    while (!stop.get()) {
                        (readOnce(rig, random) ? acquired : missed).increment();
                    }
                });
            }
            Await.until(
                    () -> acquired + " acquired, " + missed + " missed",
                    () -> acquired.sum() >= ACQUIRED && missed.sum() > 0 || readers.failed() || writer.failed());
            stop.set(true);
            readers.join();
            writer.join();
        }
    }

    private static boolean readOnce(LogRig rig, Random random) {
        long position = rig.log.tail() + random.nextInt(2 * LogRig.CHUNK);
        long head = rig.log.head().position();
        if (position >= head) {
            return true;
        }
        if (random.nextInt(4) == 0) {
            // The writer moves the tail on meanwhile, on one core too.
            Thread.yield();
        }
        Chunk chunk = rig.log.acquire(position);
        if (chunk == null) {
            return false;
        }
        try {
            long end = Math.min(head, (rig.log.chunkNumber(position) + 1) * LogRig.CHUNK);
            for (int look = 0; look < 3; look++) {
                if (!rig.matches(chunk, position, end)) {
                    throw new AssertionError("bytes changed under a reader at " + position + ", look " + look);
                }
                Thread.yield();
            }
        } finally {
            chunk.release();
        }
        return true;
    }
}
