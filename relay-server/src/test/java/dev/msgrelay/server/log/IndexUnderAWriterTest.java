package dev.msgrelay.server.log;

import dev.msgrelay.server.harness.Workers;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What a reader on another thread finds in the index and the index still holds is right. */
class IndexUnderAWriterTest {
    private static final int CAPACITY = 64;
    private static final int STEP = 100;
    private static final int LOOKUPS = 400_000;

    @Test
    void whatStillHoldsIsRight() throws InterruptedException {
        PacketIndex index = new PacketIndex(CAPACITY);
        index.add(0, 1);
        AtomicBoolean stop = new AtomicBoolean();
        Workers workers = new Workers().start("writer", () -> {
            for (long n = 1; !stop.get(); n++) {
                index.add(n * STEP, n * 7 + 1);
            }
        });
        int held = 0;
        try {
            for (int i = 0; i < LOOKUPS; i++) {
                held += lookUp(index, (i & 63) * STEP + 1) ? 1 : 0;
            }
        } finally {
            stop.set(true);
            workers.join();
        }
        if (held == 0) {
            throw new AssertionError("no lookup was in time: nothing was tested");
        }
    }

    private static boolean lookUp(PacketIndex index, int back) {
        long where = Math.max(0, index.newest() * STEP - back);
        long packet = index.firstAtOrBehind(where);
        if (packet > index.newest()) {
            return false;
        }
        long position = index.positionOf(packet);
        long sequence = index.sequenceOf(packet);
        if (!index.stillHolds(packet)) {
            return false;
        }
        if (position < where || position != packet * STEP || sequence != packet * 7 + 1) {
            throw new AssertionError(
                    "packet " + packet + " at " + position + ", message " + sequence + ", was found for " + where);
        }
        return true;
    }
}
