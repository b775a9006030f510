package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.plan.Json;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class CeilingCommandTest extends CommandTest {
    @Test
    void theTableHasBothDirectionsOfEverySize() {
        assertThat(execute("ceiling", "--link", "1gbe")).as(err.toString()).isZero();
        assertThat(out.toString())
                .startsWith("1 Gbit/s, MTU 1500, IPv4, TCP time stamps\n"
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
    void anEmulatedLinkSaysSo() {
        assertThat(execute("ceiling", "--link", "1gbe", "--emulated", "--body", "100"))
                .isZero();
        // 125e6 * 1448 / 1514 = 119.55 MB/s; / 108 = 1,106,952
        assertThat(out.toString())
                .startsWith("1 Gbit/s, MTU 1500, IPv4, TCP time stamps, emulated by tc\n"
                        + "a full segment carries 1,448 bytes and takes 1,514 of the link's time\n")
                .containsPattern(" +ingress +1,106,952 +119\\.6 +95\\.6 % ");
    }

    @Test
    void programsGetPlainNumbers() throws Exception {
        assertThat(execute(
                        "ceiling",
                        "--link",
                        "1g",
                        "--body",
                        "100",
                        "--subscribers",
                        "2",
                        "--ipv6",
                        "--vlan",
                        "--no-timestamps",
                        "--json"))
                .isZero();
        // segment 1500 - 40 - 20 = 1440, wire 1542; 125e6 * 1440 / 1542 = 116,731,517.5; / 108 = 1,080,847.4
        JsonNode json = Json.parse(out.toString());
        JsonNode link = json.path("link");
        assertThat(link.path("segmentBytes").asInt(-1)).isEqualTo(1_440);
        assertThat(link.path("segmentWireBytes").asInt(-1)).isEqualTo(1_542);
        assertThat(link.path("ip").asString("")).isEqualTo("IPv6");
        assertThat(link.path("vlan").asBoolean()).isTrue();
        assertThat(link.path("emulated").asBoolean()).isFalse();
        assertThat(link.path("timestamps").asBoolean()).isFalse();
        JsonNode ceiling = json.path("ceilings").path(0);
        JsonNode batched = ceiling.path("ingress").path("batched");
        assertThat(batched.path("bytesPerSecond").asDouble(Double.NaN)).isEqualTo(116_731_517.51, within(0.01));
        assertThat(batched.path("messagesPerSecond").asDouble(Double.NaN)).isEqualTo(1_080_847.38, within(0.01));
        assertThat(ceiling.path("egressEach").path("batched").path("bytesPerSecond").asDouble(Double.NaN))
                .isEqualTo(58_365_758.75, within(0.01));
        assertThat(out.toString()).doesNotContain("E7");
    }
}
