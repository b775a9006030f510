package dev.msgrelay.server.figures;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class CounterTest {
    @Test
    void namesAreThoseOfJson() {
        assertThat(Counter.MESSAGES_IN.key()).isEqualTo("messagesIn");
        assertThat(Counter.LARGEST_LAG_BYTES.key()).isEqualTo("largestLagBytes");
        assertThat(Counter.DUPLICATES.key()).isEqualTo("duplicates");
        assertThat(Arrays.stream(Counter.values()).map(Counter::key)).doesNotHaveDuplicates();
        assertThat(Counter.values()).allSatisfy(c -> {
            assertThat(c.unit()).isNotBlank();
            assertThat(c.help()).isNotBlank();
        });
    }

    @Test
    void countersAddUp() {
        Counters counters = new Counters();
        counters.increment(Counter.DUPLICATES);
        counters.add(Counter.DUPLICATES, 41);
        assertThat(counters.sum(Counter.DUPLICATES)).isEqualTo(42);
        assertThat(counters.sum(Counter.FAILURES)).isZero();
    }
}
