package dev.msgrelay.server.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class JournalThreadTest {
    @Test
    void whatIsLookedAtIsNotNewerThanTheClocks() throws Exception {
        AtomicLong looked = new AtomicLong();
        CompletableFuture<Long> later = new CompletableFuture<>();
        JournalThread thread = new JournalThread(
                "looks",
                () -> looked.set(System.nanoTime()),
                (nanos, millis) -> {
                    later.complete(nanos - looked.get());
                    return JournalThread.SLEEP_NANOS;
                },
                later::completeExceptionally);
        thread.start();
        assertThat(later.get(60, TimeUnit.SECONDS)).isNotNegative();
        thread.endSoon();
        thread.join();
    }
}
