package dev.msgrelay.loadgen.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.plan.Json;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class DoctorCommandTest extends CommandTest {
    @Test
    void theAnswerComesFirstAndElevenFindingsBelow() {
        assertThat(execute("doctor")).as(err.toString()).isZero();
        assertThat(out.toString()).startsWith("yes");
        assertThat(out.toString().lines().filter(line -> line.matches("(fine|note|WARNING) .*")))
                .hasSize(11);
    }

    @Test
    void programsGetTheSame() {
        assertThat(execute("doctor", "--json")).as(err.toString()).isZero();
        JsonNode json = Json.parse(out.toString());
        assertThat(json.path("schemaVersion").asInt(0)).isEqualTo(6);
        assertThat(json.path("notes").path(0).asString("")).startsWith("yes");
        assertThat(json.path("sites").path(0).path("machine").path("cores").asInt(0))
                .isPositive();
        JsonNode findings = json.path("findings");
        assertThat(findings).hasSize(11);
        assertThat(findings.path(0).path("name").asString("")).isEqualTo("cores");
        assertThat(findings.path(0).path("level").asString("")).isNotBlank();
    }
}
