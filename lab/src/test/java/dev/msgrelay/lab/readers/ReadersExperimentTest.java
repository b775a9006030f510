package dev.msgrelay.lab.readers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.lab.ArticleFigures;
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
