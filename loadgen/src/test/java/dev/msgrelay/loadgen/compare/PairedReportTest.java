package dev.msgrelay.loadgen.compare;

import static org.assertj.core.api.Assertions.assertThat;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import dev.msgrelay.loadgen.compare.PairedComparison.Ended;
import dev.msgrelay.loadgen.result.Regime;
import dev.msgrelay.loadgen.run.CommandMiddle;
import dev.msgrelay.protocol.Policy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What people and scripts get to see. */
class PairedReportTest {
    private static final Map<Side, Contestant> BOTH = Map.of(Side.A, contestant("one"), Side.B, contestant("other"));

    @Test
    void theTableHasALineForEachFigureAndTheVerdict() {
        String table = new PairedReport(BOTH, comparison(8, Ended.NARROW, List.of())).table();
        assertThat(table)
                .contains("A: one\n", "B: other\n")
                .containsPattern("deliveries/s +2.00 M +1.50 M +0.750 +0.750..0.750 +8 +0.0 % +A faster\n")
                .containsPattern("relay CPU s/million +0.0500 +0.0500 +1.000 .* no difference seen beyond 0.0 %\n")
                .contains(
                        "18 runs, 8 pairs (4 near, 4 far), 0 of them of different blocks, 2 runs left over; ended: the"
                                + " interval is narrow enough\n")
                .contains("B: in 1 runs the publishers did not keep their schedule\n")
                .endsWith("verdict: A faster, B/A 0.750 (0.750 .. 0.750)\n")
                .matches("(?s)\\p{ASCII}*");
    }

    @Test
    void withTooFewRoundsThereIsNoVerdict() throws Exception {
        PairedReport report = new PairedReport(BOTH, comparison(5, Ended.TIME, List.of()));
        assertThat(report.table()).contains("too few rounds").endsWith("verdict: none: an interval needs 6 rounds\n");
        JsonObject row =
                JsonParser.object().from(report.json()).getArray("rows").getObject(0);
        assertThat(row.get("ratio")).isNull();
        assertThat(row.get("better")).isNull();
        assertThat(row.get("smallestSeenPercent")).isNull();
    }

    @Test
    void aFailureStandsInPlaceOfTheVerdict() throws Exception {
        PairedReport report = new PairedReport(BOTH, comparison(8, Ended.FAILED, List.of("B, run 3: 7 messages lost")));
        assertThat(report.table())
                .endsWith("FAIL\n  B, run 3: 7 messages lost\n")
                .doesNotContain("verdict:");
        JsonObject json = JsonParser.object().from(report.json());
        assertThat(json.getString("verdict")).isEqualTo("FAIL");
        assertThat(json.getArray("failures").getString(0)).isEqualTo("B, run 3: 7 messages lost");
    }

    @Test
    void theDocumentHasEveryRun() throws Exception {
        JsonObject json = JsonParser.object().from(new PairedReport(BOTH, comparison(8, Ended.TIME, List.of())).json());
        assertThat(json.getString("b")).isEqualTo("other");
        assertThat(json.getArray("turns")).hasSize(18);
        JsonObject turn = json.getArray("turns").getObject(1);
        assertThat(turn.getString("side")).isEqualTo("B");
        assertThat(turn.getDouble("deliveries")).isEqualTo(1.5e6);
        assertThat(turn.getBoolean("late")).isTrue();
        JsonObject row = json.getArray("rows").getObject(0);
        assertThat(row.getString("better")).isEqualTo("A");
        assertThat(row.getDouble("ratio")).isBetween(0.7499, 0.7501);
        assertThat(json.getObject("pairsByRegime").getInt("near")).isEqualTo(4);
        assertThat(json.getString("ended")).isEqualTo("time");
    }

    @Test
    void sidesThatAreTheSameAreToldSo() {
        Map<Side, Contestant> same = Map.of(Side.A, contestant("one"), Side.B, contestant("one"));
        PairedComparison comparison = comparison(8, Ended.TIME, List.of());
        assertThat(new PairedReport(same, comparison).table()).contains("A and B are the same");
        assertThat(new PairedReport(BOTH, comparison).table()).doesNotContain("the same");
    }

    @Test
    void aPairIsOneLine() {
        assertThat(PairedReport.progress(comparison(5, Ended.NOT_YET, List.of())))
                .isEqualTo("pair   6: A 2.00 M, B 1.50 M deliveries/s (near, then far)  B/A so far needs 6 rounds");
    }

    private static Contestant contestant(String title) {
        return new Contestant(title, new CommandMiddle(""), Policy.BACKPRESSURE);
    }

    /** So many pairs, and a block whose runs met different regimes. */
    private static PairedComparison comparison(int pairs, Ended ended, List<String> failures) {
        List<Turn> turns = new ArrayList<>();
        for (int i = 0; i < 2 * pairs + 2; i++) {
            Side side = Side.ofTurn(i);
            boolean split = i >= 2 * pairs;
            Regime regime = (split ? i : i / 2) % 2 == 0 ? Regime.NEAR : Regime.FAR;
            Map<Figure, Double> figures =
                    Map.of(Figure.DELIVERIES, side == Side.A ? 2e6 : 1.5e6, Figure.RELAY_CPU, 0.05);
            turns.add(new Turn(side, i, i / 2, regime, figures, i == 1, List.of()));
        }
        return PairedComparison.of(turns, Figure.of(false), ended, failures);
    }
}
