package dev.msgrelay.protocol.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UndecodedTextTest {
    @Test
    void whatIsLostIsNamed() {
        assertThat(UndecodedText.faultOf("--name", "a\uFFFD\uFFFD"))
                .isEqualTo(UndecodedText.fault("argument", "a\uFFFD\uFFFD"))
                .startsWith("argument 'a\uFFFD\uFFFD' has characters")
                .endsWith("set LC_ALL=C.UTF-8");
    }

    @Test
    void whatIsKnownIsGood() {
        assertThat(UndecodedText.faultOf("--name", "größe", "\uD83D\uDE00")).isNull();
        assertThat(UndecodedText.in("größe")).isFalse();
    }
}
