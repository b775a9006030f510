package dev.msgrelay.loadgen.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.page.HtmlWriter;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Hops;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.Outcome;
import dev.msgrelay.loadgen.result.Places;
import dev.msgrelay.loadgen.result.Shootout;
import dev.msgrelay.loadgen.result.Shootouts;
import dev.msgrelay.loadgen.result.view.ShootoutPage;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShootoutTableTest {
    @Test
    void everythingThatWasMeasuredSkippedOrFailedIsThere() {
        Shootout shootout = Shootouts.full();
        String table = ShootoutTable.of(shootout);
        shootout.lanes().forEach(lane -> {
            assertThat(table).contains(lane.label());
            if (lane.skipped() != null) {
                assertThat(table).contains("skipped: " + lane.skipped());
            }
            lane.cells().stream().flatMap(cell -> cell.runs().stream()).forEach(run -> run.outcome()
                    .marks()
                    .forEach(mark -> assertThat(table).contains(mark)));
        });
        assertThat(table).contains("of ceil.", "p99", "bound by", "core-to-core hop before and after the runs");
    }

    @Test
    void aSecondHostBehindALinkOfUnknownSpeedIsStillASecondHost() {
        Places places = new Places(Places.Place.NEAR_UNIX, Places.Place.FAR);
        Cell cell = new Cell(Shootouts.parameters("100", 1), null, List.of());
        Shootout shootout = Shootouts.empty()
                .with(new LaneResult("remote", LaneKind.REMOTE, false, null, null, places, List.of()))
                .with("remote", cell, Shootouts.run(1, 1e6, new Hops(45, 45), cell, Outcome.PASS));
        assertThat(ShootoutTable.of(shootout))
                .contains(
                        "remote: a link whose speed nobody tells; publishers at the relay's side, over its Unix socket,"
                                + " subscribers across the link\n");
        assertThat(HtmlWriter.html(ShootoutPage.of(shootout)))
                .contains("subscribers across the link. Nobody tells the link")
                .doesNotContain("on one machine");
        assertThat(HtmlWriter.html(ShootoutPage.of(Shootouts.loopback(1e6)))).contains("on one machine");
    }
}
