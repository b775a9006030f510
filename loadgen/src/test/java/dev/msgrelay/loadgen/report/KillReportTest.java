package dev.msgrelay.loadgen.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import dev.msgrelay.loadgen.kill.Account;
import dev.msgrelay.loadgen.kill.Account.Count;
import dev.msgrelay.loadgen.kill.Campaign;
import dev.msgrelay.loadgen.kill.ClusterCampaign.Incidents;
import dev.msgrelay.loadgen.kill.ClusterCampaign.Kind;
import dev.msgrelay.loadgen.kill.ClusterCampaign.Outcome;
import dev.msgrelay.loadgen.kill.ClusterCampaign.Stream;
import dev.msgrelay.loadgen.kill.ClusterCampaign.Waits;
import dev.msgrelay.protocol.Level;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KillReportTest {
    private static final Campaign.Load LOAD = new Campaign.Load(List.of(Level.STREAM), 1, 1, 500);

    private static Outcome outcome(List<String> findings) {
        Map<Count, Long> counts = new EnumMap<>(Map.of(Count.ACKNOWLEDGED, 900L, Count.HAD, 2700L));
        Arrays.stream(Count.values()).forEach(count -> counts.putIfAbsent(count, 0L));
        Account.Row row = new Account.Row(Level.STREAM, counts);
        return new Outcome(
                3,
                false,
                LOAD,
                List.of(new Incidents(Kind.LEADER, 10, 0, new Waits(2.25, 3), new Waits(2.5, 3.5))),
                List.of(new Stream(1, 900, "00c0ffee", row), new Stream(2, 900, "00c0ffee", row)),
                List.of("links are cut for 3 to 6 s: no command ip here"),
                findings);
    }

    @Test
    void aClustersTableSaysHowLongNothingWasAcknowledgedAndWhatEachNodeHas() {
        assertThat(KillReport.text(42, outcome(List.of())))
                .contains("the leader is killed", "2.25 s", "3.5 s", "node 2", "00c0ffee", "2,700")
                .contains("skipped: links are cut for 3 to 6 s: no command ip here\n")
                .endsWith("PASS: seed 42\n");
        assertThat(KillReport.text(42, outcome(List.of("nodes 1 and 2 differ from message 7 on"))))
                .contains("nodes 1 and 2 differ from message 7 on\n")
                .endsWith("FAIL: seed 42\n");
    }

    @Test
    void whereNothingCanBeDoneItSaysSo() {
        Outcome none = new Outcome(3, false, LOAD, List.of(), List.of(), List.of("no room"), List.of());
        assertThat(KillReport.text(1, none)).isEqualTo("skipped: no room\nnothing was done: seed 1\n");
        assertThat(none.passed()).as("nothing was seen").isFalse();
        List<Campaign.Outcome> skipped = List.of(Campaign.Outcome.skipped("power cuts", "no root"));
        assertThat(KillReport.text(1, skipped)).endsWith("power cuts: skipped: no root\nnothing was done: seed 1\n");
        assertThat(KillReport.passed(skipped)).isFalse();
    }

    @Test
    void programsGetTheSame() throws Exception {
        JsonObject json = JsonParser.object().from(KillReport.json(42, outcome(List.of())));
        assertThat(json.getBoolean("passed")).isTrue();
        JsonObject incident = json.getObject("outcome").getArray("incidents").getObject(0);
        assertThat(incident.getString("kind")).isEqualTo("leader");
        assertThat(incident.getObject("least").getDouble("medianSeconds")).isEqualTo(2.25);
        JsonObject stream = json.getObject("outcome").getArray("streams").getObject(1);
        assertThat(stream.getString("digest")).isEqualTo("00c0ffee");
        JsonObject account = stream.getObject("account");
        assertThat(account.getString("level")).isEqualTo("stream");
        assertThat(account.keySet())
                .containsExactlyInAnyOrder(
                        "level",
                        "acknowledged",
                        "lost",
                        "untold",
                        "doubled",
                        "disordered",
                        "wrong",
                        "had",
                        "rolledBack",
                        "gaps");
        assertThat(account.getLong("acknowledged")).isEqualTo(900);
    }
}
