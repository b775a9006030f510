package dev.msgrelay.loadgen.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.protocol.net.Endpoint;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JacksonException;

class JsonTest {
    @Test
    void aJobIsTheSameOnBothSides() {
        Load load = Load.oneToOne(100).withCounts(3, 5).withRate(1_000);
        Job job = Job.client(Endpoint.parse("localhost:7401"), Access.OPEN, 2, 3, load);
        assertThat(read(job)).usingRecursiveComparison().isEqualTo(job);
        Job listens = Job.inPlaceOfARelay(new Job.Listen("127.0.0.1", null, null), 4_096, load);
        assertThat(read(listens)).usingRecursiveComparison().isEqualTo(listens);
        assertThat(Json.line(job)).doesNotContain("\n");
    }

    private static Job read(Job job) {
        return Json.read(Json.parse(Json.line(job)), Job.class);
    }

    @Test
    void aHistogramIsItsPercentilesAndAllOfItself() {
        Histogram histogram = new Histogram(3);
        histogram.recordValueWithCount(1_000, 99);
        histogram.recordValue(5_000_000);
        String json = Json.line(histogram);
        assertThat(json).startsWith("{\"recorded\":100,\"p50Nanos\":1000,");
        assertThat(Json.read(Json.parse(json), Histogram.class)).isEqualTo(histogram);
    }

    @Test
    void numbersThatAreNoneAreNullAndAMissingFieldIsAnError() {
        assertThat(Json.line(List.of(Double.NaN, 1e-9, 1e12))).isEqualTo("[null,0.0000000010,1000000000000]");
        assertThatThrownBy(() -> Json.read(Json.parse("{\"longestNanos\":1}"), Still.class))
                .isInstanceOf(JacksonException.class);
    }
}
