package dev.msgrelay.loadgen.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.msgrelay.loadgen.plan.Json;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class CeilingCommandTest extends CommandTest {
    @Test
    void theTableHasBothDirectionsOfEverySize() {
        assertThat(execute("ceiling", "--link", "1gbe")).as(err.toString()).isZero();
        assertThat(out.toString())
                .startsWith("1 Gbit/s, MTU 1500\n"
                        + "a full segment carries 1,448 bytes and takes 1,538 of the link's time\n")
                // 117.685 MB/s / 108; 125e6 / 198 (the arithmetic is in LinkTest)
                .containsPattern("\n +100 +ingress +1,089,679 +117\\.7 +94\\.1 % +631,313 +68\\.2 +54\\.5 %\n"
                        + " +egress +1,089,679 +117\\.7 +94\\.1 % +631,313 +68\\.2 +54\\.5 %\n")
                .containsPattern("\n +16 +ingress")
                .containsPattern("\n +1,000 +ingress")
                .containsPattern("\n +10,000 +ingress");
    }

    @Test
    void subscribersShareTheEgressButNotTheIngress() {
        assertThat(execute("ceiling", "--link", "10gbe", "--body", "100", "--subscribers", "8"))
                .isZero();
        // 1,176.853 MB/s / 8 = 147.1; 10,896,787.6 / 8 = 1,362,098
        assertThat(out.toString())
                .containsPattern(" +ingress +10,896,788 +1,176\\.9 ")
                .containsPattern(" +egress, all of 8 +10,896,788 +1,176\\.9 ")
                .containsPattern(" +egress, each of 8 +1,362,098 +147\\.1 ");
    }

    @Test
    void programsGetPlainNumbers() throws Exception {
        assertThat(execute("ceiling", "--link", "1g", "--body", "100", "--subscribers", "2", "--json"))
                .isZero();
        // 125e6 * 1448 / 1538 = 117,685,305.6; / 108 = 1,089,678.8
        JsonNode json = Json.parse(out.toString());
        assertThat(json.path("link").path("speed").path("bitsPerSecond").asLong())
                .isEqualTo(1_000_000_000);
        assertThat(json.path("segmentBytes").asInt()).isEqualTo(1_448);
        assertThat(json.path("segmentWireBytes").asInt()).isEqualTo(1_538);
        JsonNode ceiling = json.path("ceilings").path(0);
        JsonNode batched = ceiling.path("ingress").path("batched");
        assertThat(batched.path("bytesPerSecond").asDouble(Double.NaN)).isEqualTo(117_685_305.59, within(0.01));
        assertThat(batched.path("messagesPerSecond").asDouble(Double.NaN)).isEqualTo(1_089_678.76, within(0.01));
        assertThat(ceiling.path("egressEach")
                        .path("batched")
                        .path("bytesPerSecond")
                        .asDouble(Double.NaN))
                .isEqualTo(58_842_652.80, within(0.01));
        assertThat(out.toString()).doesNotContain("E7");
    }
}
