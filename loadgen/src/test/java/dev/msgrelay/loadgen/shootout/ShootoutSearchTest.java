package dev.msgrelay.loadgen.shootout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.loadgen.experiment.LoadRuns.Given;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.render.HtmlWriter;
import dev.msgrelay.loadgen.report.ResultsPage;
import dev.msgrelay.loadgen.report.ResultsText;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.MaxRate;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.run.RunException;
import org.junit.jupiter.api.Test;

/** A whole shootout that searches rates, on a machine that is none. */
class ShootoutSearchTest extends FakeShootout {
    @Test
    void theHighestRateIsSearchedWithRunsAndConfirmed() throws Exception {
        FakeRig rig = new FakeRig((number, cell) ->
                new Given(cell.load().rate(), cell.load().rate() <= 300_000 ? 1_000_000 : 20_000_000));
        ShootoutRun run = shootout(rig, searching(LaneKind.GBE_1));
        run.run();
        MaxRate found = run.results().maxRates().get(0);
        assertThat(found.confirmed()).isTrue();
        assertThat(found.total()).isBetween(285_000L, 300_000L);
        assertThat(found.attempts()).hasSize(rig.runs.size());
        assertThat(found.attempts().get(0).rate()).as("a sixteenth of the link").isEqualTo(68_104);
        assertThat(found.attempts()).anySatisfy(one -> assertThat(one.failure()).contains("p99 20.0", "over 5.00 ms"));
        assertThat(kept.get(kept.size() - 1).maxRates()).containsExactly(found);
    }

    @Test
    void whatPassedBeforeALaneDiedIsKeptAndTheSearchHasFailed() throws Exception {
        FakeRig rig = new FakeRig((number, cell) -> {
            if (number > 2) {
                throw new RunException("the second host went away");
            }
            return new Given(cell.load().rate(), 1_000_000);
        });
        ShootoutRun run = shootout(rig, searching(LaneKind.GBE_1));
        run.run();
        MaxRate soFar = run.results().maxRates().get(0);
        assertThat(soFar.total()).as("the second of two that passed").isEqualTo(2 * 68_104);
        assertThat(soFar.confirmed()).isFalse();
        assertThat(soFar.ending()).isEqualTo("cut short: lane 1gbe is given up");
        assertThat(soFar).asString().endsWith(" (not confirmed: cut short: lane 1gbe is given up, 4 runs)");
        assertThat(soFar.attempts()).hasSize(4);
        assertThat(run.hasFailures()).isTrue();
        assertThat(notices).last().asString().startsWith("FAIL highest rate so far, 1gbe, 1 -> 1, body 100: 136,208");
        assertThat(kept.get(kept.size() - 1).maxRates()).containsExactly(soFar);
    }

    @Test
    void whatPassedBeforeASearchWasInterruptedIsKept() {
        FakeRig rig = new FakeRig((number, cell) -> {
            if (number > 2) {
                throw new InterruptedException();
            }
            return new Given(cell.load().rate(), 1_000_000);
        });
        ShootoutRun run = shootout(rig, searching(LaneKind.GBE_1));
        assertThatThrownBy(run::run).isInstanceOf(InterruptedException.class);
        Results last = kept.get(kept.size() - 1);
        assertThat(last.ending().how()).isEqualTo(Ending.How.INTERRUPTED);
        assertThat(last.maxRates()).singleElement().satisfies(soFar -> {
            assertThat(soFar.total()).isEqualTo(2 * 68_104);
            assertThat(soFar.ending()).isEqualTo("cut short: interrupted");
        });
    }

    @Test
    void lateSendsAreToldAndNoReasonToRepeatWhatTheyTell() throws Exception {
        FakeRig rig = new FakeRig((number, cell) -> new Given(
                cell.load().rate(),
                cell.load().rate() <= 100_000 ? 1_000_000 : 20_000_000,
                cell.load().rate() / 100));
        ShootoutRun run = shootout(rig, searching(LaneKind.LOOPBACK));
        run.run();
        MaxRate found = run.results().maxRates().get(0);
        assertThat(found.confirmed()).isTrue();
        assertThat(found.attempts()).hasSize(rig.runs.size());
        assertThat(run.results().lanes().get(0).cells())
                .flatExtracting(Cell::runs)
                .isNotEmpty()
                .allSatisfy(one -> {
                    assertThat(one.counts()).isTrue();
                    assertThat(one.outcome().observed())
                            .singleElement()
                            .asString()
                            .contains("schedule not kept: ");
                });
        assertThat(HtmlWriter.html(ResultsPage.of(run.results())))
                .contains("missed schedules")
                .doesNotContain("FAIL");
        assertThat(ResultsText.of(run.results())).contains("schedule not kept").doesNotContain("FAIL");
    }
}
