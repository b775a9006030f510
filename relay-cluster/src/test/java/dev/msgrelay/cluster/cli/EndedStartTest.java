package dev.msgrelay.cluster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A node that is told to end while it is being started: it leaves no files in memory, which would stay until somebody
 * looks.
 */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class EndedStartTest {
    private static final Duration WAIT = Duration.ofSeconds(60);

    @Test
    void aNodeThatWaitsForTheOthersLeavesNothingInSharedMemory() throws IOException, InterruptedException {
        endsOnce("marks/cluster-mark-service-0.dat");
    }

    /** While Aeron's parts are being started. */
    @Tag("thorough")
    @Test
    void aNodeThatHasJustBegunLeavesNothingInSharedMemory() throws IOException, InterruptedException {
        endsOnce("driver");
    }

    private static void endsOnce(String there) throws IOException, InterruptedException {
        try (LocalCluster cluster = new LocalCluster(3)) {
            cluster.start(1);
            await(() -> Files.exists(cluster.sharedOf(1).resolve(there)));
            assertThat(cluster.stop(1)).as(cluster.said(1)).isZero();
            assertThat(cluster.sharedOf(1)).doesNotExist();
        }
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long begun = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - begun).isLessThan(WAIT.toNanos());
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }
}
