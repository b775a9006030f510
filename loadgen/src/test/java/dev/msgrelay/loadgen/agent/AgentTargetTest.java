package dev.msgrelay.loadgen.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgentTargetTest {
    @ParameterizedTest
    @CsvSource({
        "10.0.0.2, 10.0.0.2, 7410",
        "10.0.0.2:99, 10.0.0.2, 99",
        "bench-2:99, bench-2, 99",
        "fd00::2, fd00::2, 7410",
        "[fd00::2], fd00::2, 7410",
        "[fd00::2]:99, fd00::2, 99"
    })
    void isHostAndPort(String text, String host, int port) {
        assertThat(AgentTarget.parse(text)).isEqualTo(new AgentTarget(host, port, null, null));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "a:0     | port '0' of 'a:0' is not within 1..65535",
                "a:65536 | port '65536' of 'a:65536' is not within 1..65535",
                "a:x     | port 'x' of 'a:x' is not within 1..65535",
                ":99     | ':99' is not HOST or HOST:PORT"
            })
    void orIsRefused(String text, String message) {
        assertThatThrownBy(() -> AgentTarget.parse(text)).hasMessage(message);
    }
}
