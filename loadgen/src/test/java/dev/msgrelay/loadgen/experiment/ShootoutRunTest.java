package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.experiment.ShootoutRun.Equipment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.msgrelay.loadgen.experiment.LoadRuns.Given;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.rig.RunException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole shootout on a machine that is none: what is kept, and what becomes of it when something fails. */
class ShootoutRunTest extends FakeShootout {
    @Test
    void lanesTakeTurnsAndEverythingIsKeptAfterEveryRun() throws Exception {
        FakeRig rig = new FakeRig((number, cell) -> USUAL);
        ShootoutRun run = shootout(rig, settings(List.of(LaneKind.GBE_1, LaneKind.GBE_10), 3));
        run.run();
        assertThat(rig.runs)
                .extracting(name -> name.split(" ")[0])
                .containsExactly("1gbe", "10gbe", "10gbe", "1gbe", "1gbe", "10gbe");
        // Before the first run, after each, at the end.
        assertThat(kept).extracting(one -> one.runs().size()).containsExactly(0, 1, 2, 3, 4, 5, 6, 6);
        assertThat(kept.get(6).ending().how()).isEqualTo(Ending.How.RUNNING);
        assertThat(kept.get(7).ending().how()).isEqualTo(Ending.How.COMPLETE);
        assertThat(rounds(run, 0)).containsExactly(1, 2, 3);
        assertThat(run.hasFailures()).isFalse();
        assertThat(closed).containsExactlyInAnyOrder("1gbe", "10gbe");
    }

    @Test
    void aRunOverALinkIsAFractionOfItsArithmetic() throws Exception {
        ShootoutRun run = shootout(new FakeRig((number, cell) -> USUAL), settings(List.of(LaneKind.GBE_1), 1));
        run.run();
        RunRecord record = lanes(run).get(0).cells().get(0).runs().get(0);
        // 1,000,000 of the 1,089,679 messages that fit through.
        assertThat(record.throughput().egressFraction()).isCloseTo(0.9177, within(0.0001));
        assertThat(record.throughput().ingressFraction())
                .as("publishers are at the relay's side")
                .isNaN();
        assertThat(record.resources().boundBy()).isNotNull();
    }

    @Test
    void withoutALinkARunIsAFractionOfThePlainRelayOfItsRound() throws Exception {
        FakeRig rig = new FakeRig((number, cell) -> {
            boolean relay = cell.contestant() == RELAY;
            long round = number <= 3 ? 1 : 2;
            // The machine is twice as fast in the second round, and so is everything on it.
            return new Given((relay ? 4_000_000 : 5_000_000) * round, 1_000);
        });
        Load eight = ONE.withCounts(1, 8);
        ShootoutSettings settings = settings(LaneKind.LOOPBACK, 2, new Yardsticks(true, false), eight);
        ShootoutRun run = shootout(rig, settings);
        run.run();
        assertThat(rig.runs).hasSize(6).first().asString().contains("direct");
        List<RunRecord> runs = lanes(run).get(0).cells().get(0).runs();
        assertThat(runs).hasSize(2).allSatisfy(one -> {
            assertThat(one.throughput().egressFraction()).isEqualTo(0.8);
            assertThat(one.throughput().ingressFraction())
                    .as("an eighth came in of what went out, of both")
                    .isCloseTo(0.8, within(0.001));
        });
        assertThat(run.results().notes()).hasSize(2).first().asString().contains("direct to 1");
    }

    /** A ceiling that the machine disturbed is none, and that of another round met another machine. */
    @Test
    void aRunWhoseRoundHasNoCeilingThatCountsIsSetAgainstNone() throws Exception {
        FakeRig rig = new FakeRig((number, cell) -> USUAL);
        LoadRig disturbed = (cell, observer) -> {
            RunResult result = rig.run(cell, observer);
            return rig.runs.size() < 4 && cell.contestant() != RELAY ? LoadRuns.beside(result, 0.4) : result;
        };
        ShootoutRun run = shootout(disturbed, settings(List.of(LaneKind.LOOPBACK), 2), this::lane, kept::add);
        run.run();
        assertThat(lanes(run).get(0).cells().get(0).runs())
                .extracting(one -> one.throughput().egressFraction())
                .containsExactly(Double.NaN, 1.0);
    }

    @Test
    void whatALinkGivesWithoutARelayIsMeasuredInEveryRound() throws Exception {
        FakeRig rig = new FakeRig((number, cell) -> new Given(1_000_000, 1_000));
        ShootoutSettings settings = settings(LaneKind.GBE_1, 2, new Yardsticks(true, true), ONE);
        ShootoutRun run = shootout(rig, settings);
        run.run();
        assertThat(rig.runs).hasSize(4);
        assertThat(rig.runs.get(0)).endsWith("baseline");
        assertThat(rig.runs.get(3)).as("the other way round").endsWith("baseline");
        // 108 MB/s of 110 and of 120.
        assertThat(run.results().notes())
                .containsExactly(
                        "1gbe (emulated, MTU 1500) without a relay: raw stream 110.0 MB/s, iperf3 120.0 MB/s (medians of 2)",
                        "  "
                                + run.results()
                                        .lanes()
                                        .get(0)
                                        .cells()
                                        .get(0)
                                        .parameters()
                                        .load()
                                + ": 0.982 (0.982 .. 0.982) of the raw stream, 0.900 (0.900 .. 0.900) of iperf3");
    }

    @Test
    void whereCeilingsAreNotWantedNoneIsMeasured() throws Exception {
        FakeRig rig = new FakeRig((number, cell) -> USUAL);
        ShootoutSettings settings = settings(LaneKind.LOOPBACK, 2, new Yardsticks(false, false), ONE);
        shootout(rig, settings).run();
        assertThat(rig.runs).hasSize(2);
    }

    @Test
    void aLaneThatCannotBeSetUpIsSkippedWithItsReason() throws Exception {
        FakeRig rig = new FakeRig((number, cell) -> USUAL);
        Equipment.Opener opener = spec -> {
            if (spec.kind() == LaneKind.GBE_1) {
                throw new IOException("tc is not installed");
            }
            return lane(spec);
        };
        ShootoutRun run = shootout(rig, settings(List.of(LaneKind.GBE_1, LaneKind.GBE_10), 2), opener, kept::add);
        run.run();
        assertThat(notices).containsExactly("lane 1gbe (emulated, MTU 1500) is skipped: tc is not installed");
        assertThat(lanes(run).get(0).skipped()).isEqualTo("tc is not installed");
        assertThat(rig.runs).hasSize(2);
    }

    @Test
    void withoutAnyLaneItFails() throws Exception {
        Equipment.Opener opener = spec -> {
            throw new IOException("no");
        };
        ShootoutRun run = shootout(new FakeRig(null), settings(List.of(LaneKind.GBE_1), 1), opener, kept::add);
        run.run();
        assertThat(run.results().ending()).isEqualTo(Ending.failed("no lane could be set up"));
    }

    @Test
    void aRunThatDiesIsMarkedAndTheOthersGoOn() throws Exception {
        FakeRig rig = new FakeRig((number, cell) -> {
            if (number == 2) {
                throw new RunException("relay ended with exit code 137");
            }
            return USUAL;
        });
        ShootoutRun run = shootout(rig, settings(List.of(LaneKind.GBE_1), 4));
        run.run();
        List<RunRecord> runs = lanes(run).get(0).cells().get(0).runs();
        assertThat(runs).hasSize(4);
        assertThat(runs.get(1).outcome().partial()).isTrue();
        assertThat(runs.get(1).outcome().failures()).containsExactly("relay ended with exit code 137");
        assertThat(runs.get(2).outcome().passed()).isTrue();
        assertThat(run.hasFailures()).isTrue();
        assertThat(notices)
                .containsExactly(
                        "FAIL 1gbe (emulated, MTU 1500), 1 -> 1, body 100, full speed: relay ended with exit code 137");
    }

    @Test
    void aLaneWithTwoFailedRunsInARowIsGivenUp() throws Exception {
        FakeRig rig = new FakeRig((number, cell) -> {
            if (cell.placement().relay().name().startsWith("1gbe")) {
                throw new IOException("the second host went away");
            }
            return USUAL;
        });
        ShootoutRun run = shootout(rig, settings(List.of(LaneKind.GBE_1, LaneKind.GBE_10), 5));
        run.run();
        assertThat(lanes(run).get(0).cells().get(0).runs()).hasSize(2);
        assertThat(lanes(run).get(1).cells().get(0).runs()).hasSize(5);
        assertThat(notices).contains("lane 1gbe is given up: 2 runs in a row did not come to their end");
        assertThat(run.results().ending()).isEqualTo(Ending.complete());
    }

    @Test
    void whatWasTakenBeforeAnInterruptIsKeptAndMarked() {
        FakeRig rig = new FakeRig((number, cell) -> {
            if (number == 3) {
                throw new InterruptedException();
            }
            return USUAL;
        });
        ShootoutRun run = shootout(rig, settings(List.of(LaneKind.GBE_1), 5));
        assertThatThrownBy(run::run).isInstanceOf(InterruptedException.class);
        Results last = kept.get(kept.size() - 1);
        assertThat(last.runs()).hasSize(2);
        assertThat(last.ending().how()).isEqualTo(Ending.How.INTERRUPTED);
        assertThat(closed).containsExactly("1gbe at once");
        assertThat(endingAtClose).as("kept before anything else").isEqualTo(Ending.How.INTERRUPTED);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void aLaneThatAnInterruptBreaksIsNotSkipped() {
        FakeRig rig = new FakeRig((number, cell) -> USUAL);
        ShootoutRun run = shootout(
                rig,
                settings(List.of(LaneKind.GBE_1), 1),
                spec -> {
                    Thread.currentThread().interrupt();
                    throw new IOException("'ip link set lo up' failed: exit code 130");
                },
                kept::add);
        assertThatThrownBy(run::run).isInstanceOf(InterruptedException.class);
        assertThat(notices).isEmpty();
        assertThat(run.results().ending().how()).isEqualTo(Ending.How.INTERRUPTED);
    }

    @Test
    void anInterruptThatComesWhileResultsAreWrittenIsNoFailureToWriteAndEndsIt(@TempDir Path directory) {
        FakeRig rig = new FakeRig((number, cell) -> USUAL);
        ShootoutSettings settings = settings(LaneKind.GBE_1, 2, new Yardsticks(true, true), ONE);
        ShootoutRun run = shootout(rig, settings, this::lane, shootout -> {
            if (kept.size() == 1) {
                Thread.currentThread().interrupt();
            }
            kept.add(shootout);
            Files.writeString(directory.resolve("results"), "those of an interrupted thread");
        });
        assertThatThrownBy(run::run).isInstanceOf(InterruptedException.class);
        assertThat(rig.runs).as("the one after which it came").hasSize(1);
        assertThat(notices).isEmpty();
        assertThat(run.isUnwritten()).isFalse();
        assertThat(kept.get(kept.size() - 1).ending().how()).isEqualTo(Ending.How.INTERRUPTED);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void aDiskWithoutRoomIsToldOnceAndDoesNotEndIt() throws Exception {
        FakeRig rig = new FakeRig((number, cell) -> USUAL);
        ShootoutRun run = shootout(rig, settings(List.of(LaneKind.GBE_1), 4), this::lane, shootout -> {
            throw new IOException("cannot write results.json: No space left on device");
        });
        run.run();
        assertThat(run.results().runs()).hasSize(4);
        assertThat(run.isUnwritten()).isTrue();
        assertThat(notices)
                .containsExactly("results cannot be written: cannot write results.json: No space left on device; the"
                        + " runs go on");
    }

    @Test
    void aDiskThatHasRoomAgainGetsEverything() throws Exception {
        FakeRig rig = new FakeRig((number, cell) -> USUAL);
        ShootoutRun run = shootout(rig, settings(List.of(LaneKind.GBE_1), 4), this::lane, shootout -> {
            if (shootout.runs().size() == 2) {
                throw new IOException("full");
            }
            kept.add(shootout);
        });
        run.run();
        assertThat(run.isUnwritten()).isFalse();
        assertThat(notices).hasSize(2).last().isEqualTo("results are written again");
        assertThat(kept.get(kept.size() - 1).runs()).hasSize(4);
    }
}
