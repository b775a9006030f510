package dev.msgrelay.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.GapReason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A relay may send any number of gaps: the log stays short, and counts them. */
class GapLogTest {
    @Test
    void theFirstIsLoggedAndTheOthersAreCounted() {
        List<String> lines = new ArrayList<>();
        AtomicLong now = new AtomicLong();
        GapLog log = new GapLog(lines::add, now::get);
        for (int i = 1; i <= 1000; i++) {
            log.accept(new Gap(i, i, GapReason.SLOW.code()));
        }
        assertThat(lines).singleElement().asString().startsWith("missed message 1: ");
        now.addAndGet(TimeUnit.SECONDS.toNanos(10));
        log.accept(new Gap(2001, 2002, GapReason.SLOW.code()));
        assertThat(lines)
                .hasSize(2)
                .last()
                .asString()
                .startsWith("missed 2 messages, 2001 to 2002: ")
                .endsWith("; and 999 more since the last such line");
    }
}
