package dev.msgrelay.lab.readers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.lab.ArticleFigures;
import dev.msgrelay.lab.Claim;
import dev.msgrelay.lab.Tables;
import dev.msgrelay.lab.Verdict;
import dev.msgrelay.lab.readers.Client.Ladder;
import dev.msgrelay.loadgen.lane.LaneKind;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReadersExperimentTest {
    @Test
    void onlyStepsThatRanAreJudged() {
        assertThat(judge(Double.NaN))
                .extracting(Verdict::claim)
                .hasSize(1)
                .first()
                .asString()
                .contains("four bytes");
    }

    @Test
    void whoFillsTheLinkCannotBeCompared() {
        assertThat(judge(100).get(0).words())
                .isEqualTo("cannot tell: four bytes at a time and integers byte by byte fill the link");
        assertThat(judge(200).get(0).words()).isEqualTo("direction holds; size holds");
    }

    /** What the link carries is the least that the faster one could do: a size above that is not refuted, a slower one is. */
    @Test
    void whoAloneFillsTheLinkMayBeFasterThanItLooks() {
        List<Claim> claims = List.of(
                step(Ladder.BUFFERED, Ladder.BYTE_WISE).times(20),
                step(Ladder.BUFFERED, Ladder.BYTE_WISE).times(2));
        Tables table = Tables.of(ReadersExperiment.MESSAGES)
                .row(Ladder.BYTE_WISE.text(), 100, 100, 100, 100, 100)
                .row(Ladder.BUFFERED.text(), 500, 500, 500, 500, 500);
        assertThat(ReadersExperiment.judge(claims, table.result(), 510))
                .extracting(Verdict::words)
                .containsExactly(
                        "direction holds; size cannot be told: 5.0 to 5.0",
                        "direction holds; size does not hold: 5.0 instead of 2.0");
        assertThat(ReadersExperiment.judge(claims, table.result(), 1_000).get(0).words())
                .isEqualTo("direction holds; size does not hold: 5.0 instead of 20");
    }

    private static Claim step(Ladder better, Ladder worse) {
        return Claim.better("faster", ReadersExperiment.MESSAGES, better.text(), worse.text());
    }

    private static List<Verdict> judge(double ceiling) {
        Tables table = Tables.of(ReadersExperiment.MESSAGES)
                .row(Ladder.BYTE_WISE.text(), 100, 100, 100, 100, 100)
                .row(Ladder.FOUR_BYTES.text(), 200, 200, 200, 200, 200)
                .row(Ladder.RELAY.text(), 900, 900, 900, 900, 900);
        return ReadersExperiment.judge(ReadersExperiment.CLAIMS, table.result(), ceiling);
    }

    @ParameterizedTest
    @EnumSource(LaneKind.class)
    void aRowOfTheArticleIsOneOfOurs(LaneKind lane) {
        ArticleFigures figures = ReadersExperiment.figures(lane);
        assertThat(Stream.of(Ladder.values()).map(Ladder::text))
                .containsAll(figures.cells().keySet());
        assertThat(figures.has(ReadersExperiment.MESSAGES))
                .isEqualTo(List.of(LaneKind.LOOPBACK, LaneKind.GBE_1, LaneKind.GBE_10)
                        .contains(lane));
    }
}
