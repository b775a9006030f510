package dev.msgrelay.loadgen.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.LaneResult.Place;
import dev.msgrelay.loadgen.result.LaneResult.Places;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.RunRecord.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResultsTextTest {
    @Test
    void everythingThatWasMeasuredSkippedOrFailedIsThere() {
        Results shootout = MadeUp.full();
        String table = ResultsText.of(shootout);
        shootout.lanes().forEach(lane -> {
            assertThat(table).contains(lane.label());
            if (lane.skipped() != null) {
                assertThat(table).contains("skipped: " + lane.skipped());
            }
            lane.cells().stream().flatMap(cell -> cell.runs().stream()).forEach(run -> {
                run.outcome().environment().forEach(line -> assertThat(table).contains(line));
                run.outcome().observed().forEach(one -> assertThat(table).contains(one.text()));
            });
        });
        assertThat(table)
                .contains(
                        "of it",
                        "p99",
                        "bound by",
                        "core-to-core hop 46 ns",
                        "9 runs count; left out: 1 on a disturbed machine");
        assertThat(table).contains("time in queue", "longest gap", "12.5 ms");
    }

    @Test
    void theSectionOfAFullSpeedHasItsTimeInQueueInPlaceOfALatency() {
        assertThat(HtmlWriter.html(ResultsPage.of(MadeUp.loopback(1e6))))
                .contains("Time in queue, from the write of a message to its read", "longest gap between deliveries")
                .contains("12.5 ms")
                .doesNotContain("from the intended time of sending");
    }

    @Test
    void aSecondHostBehindALinkOfUnknownSpeedIsStillASecondHost() {
        Places places = new Places(Place.NEAR_UNIX, Place.FAR);
        Cell cell = new Cell(MadeUp.parameters("100", 1), null, List.of());
        Results shootout = MadeUp.empty()
                .with(new LaneResult("remote", LaneKind.GBE_1, false, null, null, places, List.of()))
                .with("remote", cell, MadeUp.run(1, 1e6, cell, Outcome.PASS));
        assertThat(ResultsText.of(shootout))
                .contains(
                        "remote: a link whose speed nobody tells; publishers at the relay's side, over its Unix socket,"
                                + " subscribers across the link\n");
        assertThat(HtmlWriter.html(ResultsPage.of(shootout)))
                .contains("subscribers across the link. Nobody tells the link")
                .doesNotContain("on one machine");
        assertThat(HtmlWriter.html(ResultsPage.of(MadeUp.loopback(1e6)))).contains("on one machine");
    }
}
