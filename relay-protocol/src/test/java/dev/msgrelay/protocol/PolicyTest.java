package dev.msgrelay.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyTest {
    @Test
    void isReadAsItIsWritten() {
        assertThat(Policy.DECIDED)
                .extracting(Policy::flag)
                .containsExactly("disconnect", "backpressure", "skip", "replay", "latest");
        for (Policy policy : Policy.DECIDED) {
            assertThat(Policy.ofFlag(policy.flag())).isSameAs(policy);
            assertThat(Policy.ofFlag(policy.name())).isSameAs(policy);
        }
    }

    /** A subscriber asks for LATEST itself. */
    @Test
    void latestIsNoDefault() {
        assertThat(new Policy.DefaultWords()).containsExactly("disconnect", "backpressure", "skip", "replay");
        assertThat(new Policy.Words()).contains("latest");
    }

    /** The relay's default is no answer. */
    @ParameterizedTest
    @ValueSource(strings = {"relay_default", "newest"})
    void othersAreNoChoice(String word) {
        assertThatThrownBy(() -> Policy.ofFlag(word))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'" + word + "' is no policy: disconnect, backpressure, skip, replay or latest");
        assertThat(new Policy.Words()).doesNotContain(word);
    }
}
