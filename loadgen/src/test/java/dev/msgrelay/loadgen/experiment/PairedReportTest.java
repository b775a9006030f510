package dev.msgrelay.loadgen.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.experiment.PairedComparison.Ended;
import dev.msgrelay.loadgen.plan.Json;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.result.Results.Origin;
import dev.msgrelay.loadgen.result.Results.Ratio;
import dev.msgrelay.loadgen.result.Results.Side;
import dev.msgrelay.loadgen.result.Results.Turn;
import dev.msgrelay.loadgen.result.RunRecord;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PairedReportTest {
    private static final Origin ORIGIN = Origin.of(Instant.EPOCH, "compare", List.of());

    @TempDir
    private Path directory;

    private static final Map<Side, String> BOTH = Map.of(Side.A, "one", Side.B, "other");

    @Test
    void theTableHasALineForEachFigureAndTheVerdict() {
        String table = new PairedReport(BOTH, comparison(11, Ended.NARROW, List.of())).table();
        assertThat(table)
                .contains("A: one\n", "B: other\n")
                .containsPattern("deliveries/s +2 M +1.5 M +0.750 +0.750..0.750 +11 +0.0 % +A faster\n")
                .containsPattern("relay CPU s/million +0.05 +0.05 +1.000 .* no difference seen beyond 0.0 %\n")
                .contains(
                        "24 runs, 11 pairs, 2 runs left over; ended: the interval is narrow enough\n",
                        "B: 1 run left out because of the machine, the first: others worked\n",
                        "  spread of deliveries/s, least .. most of the median: A 1.00 .. 1.00, B 1.00 .. 1.00\n")
                .endsWith("verdict: A faster, B/A 0.750 (0.750 .. 0.750)\n")
                .matches("(?s)\\p{ASCII}*");
    }

    /** As in all other results; people get a unit that fits. */
    @Test
    void aLatencyIsInNanoseconds() {
        RunRecord run = LoadRuns.record(
                Load.oneToOne(100).withRate(1_000),
                new Timing(Duration.ofSeconds(1), Duration.ofSeconds(1)),
                1,
                new LoadRuns.Given(1_000, 123_000));
        assertThat(Figure.P50.of(run)).isBetween(122_900.0, 123_100.0);
        assertThat(Figure.P50.text(123_456)).isEqualTo("123 us");
    }

    @Test
    void withTooFewRoundsThereIsNoVerdict() throws Exception {
        PairedReport report = new PairedReport(BOTH, comparison(5, Ended.TIME, List.of()));
        assertThat(report.table()).contains("too few rounds").endsWith("verdict: none: an interval needs 6 rounds\n");
        Ratio row = report.results(Results.of(ORIGIN, List.of())).ratios().get(0);
        assertThat(row.ratio()).isNaN();
        assertThat(Json.text(row)).contains("\"ratio\" : null", "\"smallestSeenPercent\" : null");
    }

    @Test
    void aFailureStandsInPlaceOfTheVerdict() throws Exception {
        PairedReport report =
                new PairedReport(BOTH, comparison(11, Ended.FAILED, List.of("B, run 3: 7 messages lost")));
        assertThat(report.table())
                .endsWith("FAIL\n  B, run 3: 7 messages lost\n")
                .doesNotContain("verdict:");
        Results results = report.results(Results.of(ORIGIN, List.of()));
        assertThat(results.ending().how()).isEqualTo(Ending.How.FAILED);
        assertThat(results.notes()).endsWith("FAIL", "B, run 3: 7 messages lost");
    }

    @Test
    void theDocumentHasEveryRun() throws Exception {
        Results results =
                new PairedReport(BOTH, comparison(11, Ended.TIME, List.of())).results(Results.of(ORIGIN, List.of()));
        assertThat(results.turns()).hasSize(24);
        Turn turn = results.turns().get(1);
        assertThat(turn.side()).isEqualTo(Side.B);
        assertThat(turn.figures()).containsEntry("deliveries", 1.5e6);
        assertThat(turn.leftOut()).containsExactly("others worked");
        assertThat(results.ratios()).hasSize(2);
        Ratio row = results.ratios().get(0);
        assertThat(row.b()).isEqualTo("other");
        assertThat(row.verdict()).isEqualTo("A faster");
        assertThat(row.ratio()).isBetween(0.7499, 0.7501);
        assertThat(results.notes()).anyMatch(note -> note.contains("11 pairs, "));
        assertThat(results.ending()).isEqualTo(new Ending(Ending.How.COMPLETE, "the time is over"));
        assertThat(Json.read(Json.parse(Json.text(results)), Results.class).ratios())
                .isEqualTo(results.ratios());
    }

    @Test
    void sidesThatAreTheSameAreToldSo() {
        Map<Side, String> same = Map.of(Side.A, "one", Side.B, "one");
        PairedComparison comparison = comparison(11, Ended.TIME, List.of());
        assertThat(new PairedReport(same, comparison).table()).contains("A and B are the same");
        assertThat(new PairedReport(BOTH, comparison).table()).doesNotContain("the same");
    }

    @Test
    void sidesOfUnlikeCongestionControlAreToldSo() throws Exception {
        String unlike = "unlike congestion control, which is in the ratio: A cubic of the publishers, bbr of the relay;"
                + " B cubic of the publishers, cubic of the relay";
        PairedComparison like = comparison(11, Ended.TIME, List.of());
        List<Turn> turns = like.runs().stream()
                .map(run -> run.side() == Side.A ? Turns.by(run, "bbr") : run)
                .toList();
        PairedReport report =
                new PairedReport(BOTH, PairedComparison.of(turns, Figure.of(false, false), Ended.TIME, List.of()));
        assertThat(report.table().replaceAll("\n +", " ")).contains(unlike);
        assertThat(report.results(Results.of(ORIGIN, List.of())).notes()).contains(unlike);
        assertThat(new PairedReport(BOTH, like).table()).doesNotContain("unlike");
    }

    @Test
    void aPairIsOneLine() {
        assertThat(PairedReport.progress(comparison(5, Ended.NOT_YET, List.of())))
                .isEqualTo("pair   6: A 2 M, B 1.5 M deliveries/s  B/A so far needs 6 rounds");
    }

    /** So many blocks, and one more of which a run was disturbed. */
    private static PairedComparison comparison(int pairs, Ended ended, List<String> failures) {
        List<Turn> turns = new ArrayList<>();
        for (int i = 0; i < 2 * pairs + 2; i++) {
            Side side = Turns.side(i);
            Map<String, Double> figures =
                    Map.of(Figure.DELIVERIES.id(), side == Side.A ? 2e6 : 1.5e6, Figure.RELAY_CPU.id(), 0.05);
            List<String> leftOut = i == 1 ? List.of("others worked") : List.of();
            turns.add(Turns.run(side, i, i / 2, figures, leftOut));
        }
        return PairedComparison.of(turns, Figure.of(false, false), ended, failures);
    }
}
