package dev.msgrelay.server.stream;

import dev.msgrelay.server.harness.Workers;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Position and sequence are seen as a pair, and never go back. */
class StreamHeadTest {
    private static final int READS = 1_000_000;
    private static final int READERS = 2;

    @Test
    void pairsAreNeverTorn() throws InterruptedException {
        StreamHead head = new StreamHead();
        head.set(0, 5);
        AtomicBoolean stop = new AtomicBoolean();
        Workers writer = new Workers().start("writer", () -> {
            for (long n = 1; !stop.get(); n++) {
                head.set(n, n * 3 + 5);
            }
        });
        Workers readers = new Workers();
        for (int r = 0; r < READERS; r++) {
            readers.start("reader-" + r, () -> read(head));
        }
        readers.join();
        stop.set(true);
        writer.join();
    }

    private static void read(StreamHead head) {
        Mark mark = new Mark();
        long before = 0;
        for (int i = 0; i < READS; i++) {
            head.read(mark);
            if (mark.sequence() != mark.position() * 3 + 5) {
                throw new AssertionError("torn: " + mark.position() + " and " + mark.sequence());
            }
            if (mark.position() < before || head.position() < mark.position()) {
                throw new AssertionError("went back from " + before + " to " + mark.position());
            }
            before = mark.position();
        }
    }
}
