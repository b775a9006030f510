package dev.msgrelay.loadgen.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Figures of a run, from what its processes say. */
class SaidTest {
    private static JsonObject process(JsonObject... publishers) {
        JsonObject process = new JsonObject();
        process.put("publishers", new JsonArray(List.of(publishers)));
        return process;
    }

    private static JsonObject publisher(int id, long measured) {
        JsonObject publisher = new JsonObject();
        publisher.put("id", id);
        publisher.put("messages", 2 * measured);
        publisher.put("messagesMeasured", measured);
        publisher.put("bytesMeasured", 100 * measured);
        return publisher;
    }

    @Test
    void whatAllPublishersSentIsTheRate() {
        Said said = new Said(List.of(process(publisher(0, 3000)), process(publisher(1, 70))), List.of(), List.of());
        Traffic in = said.throughput(new Timing(Duration.ZERO, false, Duration.ofSeconds(1)), new Timeline(List.of()))
                .in();
        assertThat(in.messages()).isEqualTo(3070);
        assertThat(in.bytes()).isEqualTo(307_000);
        assertThat(said.sent()).isEqualTo(6140);
    }
}
