package dev.msgrelay.loadgen.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import dev.msgrelay.loadgen.doctor.Finding;
import dev.msgrelay.loadgen.doctor.Level;
import dev.msgrelay.loadgen.result.Json;
import dev.msgrelay.loadgen.result.MadeUp;
import dev.msgrelay.loadgen.result.Results;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DoctorReportTest {
    private static final Finding FINE = Finding.of(Level.FINE, "cores", "8", "enough");
    private static final Finding NOTE = Finding.of(Level.NOTE, "turbo", "on", "speed varies");
    private static final Finding WARNING = Finding.of(Level.WARNING, "load", "9", "busy");
    private static final Finding IMPOSSIBLE = Finding.of(Level.IMPOSSIBLE, "loopback", "none", "no runs");

    @Test
    void aLineHasNameValueVerdictAndMeaning() {
        assertThat(DoctorReport.line(FINE)).matches("cores +8 +fine +enough");
        assertThat(DoctorReport.line(WARNING)).matches("load +9 +WARNING +busy");
        assertThat(DoctorReport.line(IMPOSSIBLE)).matches("loopback +none +IMPOSSIBLE +no runs");
    }

    @Test
    void onlyTheImpossibleMakesRunsImpossible() {
        assertThat(DoctorReport.summary(List.of(FINE, NOTE, NOTE, WARNING)))
                .isEqualTo("1 fine, 2 notes, 1 warning: runs are possible");
        assertThat(DoctorReport.runsArePossible(List.of(FINE, NOTE, WARNING))).isTrue();
        assertThat(DoctorReport.summary(List.of(FINE, IMPOSSIBLE)))
                .isEqualTo("1 fine, 1 impossible: runs are not possible");
        assertThat(DoctorReport.runsArePossible(List.of(FINE, IMPOSSIBLE))).isFalse();
    }

    @Test
    void programsGetFiguresAsTheyAre() throws Exception {
        Finding finding = new Finding(
                "x", "v", Level.NOTE, "m", Map.of("list", List.of("a", "b"), "on", true, "bytes", 1L << 40));
        Results results = Results.of(MadeUp.empty().origin(), List.of()).withFindings(List.of(finding, IMPOSSIBLE));
        JsonObject json = JsonParser.object().from(Json.text(results));
        assertThat(json.getInt("schemaVersion")).isEqualTo(Results.SCHEMA_VERSION);
        JsonObject first = json.getArray("findings").getObject(0);
        assertThat(first.getString("level")).isEqualTo("note");
        JsonObject figures = first.getObject("figures");
        assertThat(figures.getArray("list")).containsExactly("a", "b");
        assertThat(figures.getBoolean("on")).isTrue();
        assertThat(figures.getLong("bytes")).isEqualTo(1L << 40);
    }
}
