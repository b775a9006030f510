package dev.msgrelay.loadgen.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DataPortsTest {
    @Test
    void areTwo() {
        assertThat(Site.DataPorts.parse("7400, 65535")).isEqualTo(new Site.DataPorts(7_400, 65_535));
        assertThat(Site.DataPorts.parse("7400,7401")).hasToString("7400,7401");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "7400           | '7400' is not two ports, like 7400,7401",
                "7400,7401,7402 | '7400,7401,7402' is not two ports, like 7400,7401",
                "7400,7400      | '7400,7400' is one port twice",
                "0,7401         | port '0' is not within 1..65535",
                "7400,65536     | port '65536' is not within 1..65535",
                "7400,          | port '' is not within 1..65535",
                "7400,x         | port 'x' is not within 1..65535",
                "7400,999999    | port '999999' is not within 1..65535",
            })
    void anythingElseIsRefused(String text, String message) {
        assertThatThrownBy(() -> Site.DataPorts.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }
}
