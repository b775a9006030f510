package dev.msgrelay.loadgen.result;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.load.BodySizes;
import dev.msgrelay.loadgen.run.Clients;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ParametersTest {
    @Test
    void aLongHistogramIsShortenedForPeople() {
        String text =
                IntStream.range(16, 216).mapToObj(size -> size + "x2").collect(Collectors.joining(",", "sizes:", ""));
        Parameters many = of(text, 0);
        assertThat(many.toString()).isEqualTo("1 -> 2, body 200 sizes 16..215, mean 115.5, full speed");
        assertThat(of("sizes:16x3,1000x1", 1_500).load()).isEqualTo("1 -> 2, body sizes:16x3,1000x1, full speed");
        assertThat(of("uniform:16-1000", 0).load()).contains("body uniform:16-1000,");
    }

    @Test
    void histogramsThatLookAlikeWhenShortenedAreNotTheSame() {
        Parameters one = of("sizes:16x1,17x2,18x2,19x1", 0);
        Parameters other = of("sizes:16x2,17x1,18x1,19x2", 0);
        assertThat(one.load()).isEqualTo(other.load());
        assertThat(one.isSameLoad(other)).isFalse();
        assertThat(one.isSameLoad(of("sizes:16x1,17x2,18x2,19x1", 9_000)))
                .as("the MTU is the lane's")
                .isTrue();
    }

    private static Parameters of(String body, int mtu) {
        return new Parameters(
                new Parameters.Body(body, BodySizes.parse(body).mean()), 1, 2, 0, 0, mtu, 1, 1, Clients.RAW);
    }
}
