package dev.msgrelay.loadgen.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProcessUseTest {
    @Test
    void whatTheSystemDoesNotTellIsNoTime() {
        assertThat(new ProcessUse("relay", -1, -1).cpuSeconds()).isNaN();
        assertThat(new ProcessUse("relay", 1_500_000_000L, -1).cpuSeconds()).isEqualTo(1.5);
    }
}
