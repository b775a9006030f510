package dev.msgrelay.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A thread of a node that ends in silence would leave publishers that wait for ever. */
class NodeThreadTest {
    private static final long WAIT_SECONDS = 60;

    @Test
    void anErrorOfTheJvmIsTold() throws Exception {
        CompletableFuture<Throwable> told = new CompletableFuture<>();
        Error error = new NoClassDefFoundError("no such class");
        NodeThread thread = new NodeThread(
                "test",
                () -> {
                    throw error;
                },
                told::complete);
        thread.start();
        assertThat(told.get(WAIT_SECONDS, TimeUnit.SECONDS)).isSameAs(error);
        thread.awaitEnd();
    }

    @Test
    void whoWaitsForItselfDoesNotWait() throws Exception {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        NodeThread[] thread = new NodeThread[1];
        thread[0] = new NodeThread(
                "test",
                () -> {
                    thread[0].awaitEnd();
                    done.complete(true);
                },
                done::completeExceptionally);
        thread[0].start();
        assertThat(done.get(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    /** Aeron's own end with a text on stderr, or with none. */
    @Test
    void theEndOfAThreadOfAeronIsTold() throws Exception {
        CompletableFuture<Optional<Throwable>> ended = new CompletableFuture<>();
        Error error = new AssertionError("a fault");
        Thread thread = NodeThread.factory(ended::complete).newThread(() -> {
            throw error;
        });
        thread.start();
        assertThat(ended.get(WAIT_SECONDS, TimeUnit.SECONDS)).containsSame(error);
        thread.join();
    }

    @Test
    void alsoWhereItHasThrownNothing() throws Exception {
        CompletableFuture<Optional<Throwable>> ended = new CompletableFuture<>();
        Thread thread = NodeThread.factory(ended::complete).newThread(() -> {});
        thread.start();
        assertThat(ended.get(WAIT_SECONDS, TimeUnit.SECONDS)).isEmpty();
        thread.join();
    }
}
