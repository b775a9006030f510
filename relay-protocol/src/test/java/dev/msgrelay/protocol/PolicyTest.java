package dev.msgrelay.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class PolicyTest {
    @Test
    void isReadAsItIsWritten() {
        assertThat(Policy.DECIDED)
                .extracting(Policy::flag)
                .containsExactly("disconnect", "backpressure", "skip", "replay");
        for (Policy policy : Policy.DECIDED) {
            assertThat(Policy.ofFlag(policy.flag())).isSameAs(policy);
            assertThat(Policy.ofFlag(policy.name())).isSameAs(policy);
        }
    }

    @Test
    void theRelaysDefaultIsNoAnswer() {
        assertThatThrownBy(() -> Policy.ofFlag("relay_default"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'relay_default' is no policy: disconnect, backpressure, skip or replay");
    }
}
