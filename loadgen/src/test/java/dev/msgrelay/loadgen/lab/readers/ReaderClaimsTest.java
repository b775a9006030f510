package dev.msgrelay.loadgen.lab.readers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.lab.Claims;
import dev.msgrelay.loadgen.lab.Finding;
import dev.msgrelay.loadgen.lab.LabTable;
import dev.msgrelay.loadgen.lab.Measurement;
import dev.msgrelay.loadgen.lab.RoundResult;
import dev.msgrelay.loadgen.lab.RowResult;
import dev.msgrelay.loadgen.lab.TableResult;
import dev.msgrelay.loadgen.lane.LaneKind;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReaderClaimsTest {
    private static final List<Ladder> STEPS = List.of(Ladder.BYTE_WISE, Ladder.FOUR_BYTES, Ladder.RELAY);

    @Test
    void factorsAreThoseOfTheSameNetwork() {
        assertThat(judge(LaneKind.GBE_1).get(0).sentence())
                .isEqualTo(
                        "messages: four bytes at a time is 2.0 times integers byte by byte (2.0 to 2.0 over 2 rounds);"
                                + " in the article four bytes at a time was 1.88 times integers byte by byte");
        assertThat(judge(LaneKind.GBE_10).get(0).sentence()).endsWith("was 1.86 times integers byte by byte");
        assertThat(judge(LaneKind.LOOPBACK).get(0).sentence()).endsWith("(2.0 to 2.0 over 2 rounds)");
    }

    @Test
    void onlyStepsThatRanAreJudged() {
        assertThat(judge(LaneKind.GBE_1)).hasSize(1);
    }

    @Test
    void whoFillsTheLinkCannotBeCompared() {
        Finding finding = judge(LaneKind.GBE_1, 100).get(0);
        assertThat(finding.outcome()).isEqualTo(Finding.Outcome.UNDECIDED);
        assertThat(finding.sentence()).isEqualTo("four bytes at a time and integers byte by byte both fill the link");
        assertThat(judge(LaneKind.GBE_1, 200).get(0).outcome()).isEqualTo(Finding.Outcome.HOLDS);
    }

    private static List<Finding> judge(LaneKind lane) {
        return judge(lane, Double.NaN);
    }

    private static List<Finding> judge(LaneKind lane, double ceiling) {
        LabTable table =
                new LabTable("lane", "", List.of(), List.of(), ReaderClaims.of(lane), List.of(), result -> List.of());
        List<RowResult> rows = List.of(row(Ladder.BYTE_WISE, 100), row(Ladder.FOUR_BYTES, 200), row(Ladder.RELAY, 900));
        RoundResult steady = new RoundResult(50, 50);
        return ReaderClaims.judge(new TableResult(table, rows, List.of(steady, steady), 2), STEPS, ceiling);
    }

    private static RowResult row(Ladder step, double speed) {
        Measurement measurement = Measurement.of(ReaderContestant.MESSAGES, speed);
        return new RowResult(step.text(), "", step.text(), List.of(measurement, measurement), null);
    }

    @Test
    void otherLanesHaveNoFiguresOfTheArticle() {
        assertThat(ReaderClaims.of(LaneKind.GBE_25)).isEqualTo(Claims.NONE);
    }
}
