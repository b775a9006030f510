package dev.msgrelay.loadgen.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import dev.msgrelay.loadgen.experiment.LoadRuns.Given;
import dev.msgrelay.loadgen.experiment.ShootoutRun.Shootout;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Load.Transport;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Cell.Share;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecord.Observed;
import dev.msgrelay.loadgen.rig.RemoteRelay;
import dev.msgrelay.loadgen.rig.RunException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole shootout on a machine that is none: what is kept, and what becomes of it when something fails. */
class ShootoutRunTest extends FakeShootout {
    @Test
    void lanesTakeTurnsAndEverythingIsKeptAfterEveryRun() throws Exception {
        FakeRig rig = new FakeRig((number, cell) -> USUAL);
        ShootoutRun run = shootout(rig, settings(3, LaneKind.GBE_1, LaneKind.GBE_10));
        run.run();
        assertThat(rig.runs)
                .extracting(name -> name.split(" ")[0])
                .containsExactly(
                        "1gbe", "1gbe", "10gbe", "10gbe", "10gbe", "10gbe", "1gbe", "1gbe", "1gbe", "1gbe", "10gbe",
                        "10gbe");
        // Before the first run, after each, at the end.
        assertThat(kept)
                .extracting(one -> one.runs().size())
                .containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 12);
        assertThat(kept.get(12).ending().how()).isEqualTo(Ending.How.RUNNING);
        assertThat(kept.get(13).ending().how()).isEqualTo(Ending.How.COMPLETE);
        assertThat(lanes(run).get(0).cells().get(0).runs())
                .extracting(one -> one.moment().round())
                .containsExactly(1, 2, 3);
        assertThat(run.exitCode()).isZero();
        assertThat(closed).containsExactlyInAnyOrder("1gbe", "10gbe");
    }

    @Test
    void aRunOverALinkIsAFractionOfItsArithmetic() throws Exception {
        ShootoutRun run = shootout(new FakeRig((number, cell) -> USUAL), settings(1, LaneKind.GBE_1));
        run.run();
        Share share = lanes(run).get(0).cells().get(0).shares().get(0);
        // 1,000,000 of the 1,089,679 messages that fit through.
        assertThat(share.out()).isCloseTo(0.9177, within(0.0001));
        assertThat(share.in()).as("publishers are at the relay's side").isNaN();
    }

    @Test
    void withoutALinkARunIsAFractionOfThePlainRelayOfItsRound() throws Exception {
        FakeRig rig = new FakeRig((number, cell) -> {
            boolean relay = cell.contestant() == RELAY;
            long round = number <= 4 ? 1 : 2;
            // The machine is twice as fast in the second round, and so is everything on it.
            return new Given((relay ? 4_000_000 : 5_000_000) * round, 1_000);
        });
        Load eight = ONE.withCounts(1, 8);
        Shootout settings =
                new Shootout(List.of(LaneSpec.of(LaneKind.LOOPBACK)), List.of(eight), 2, SECOND, false, false);
        ShootoutRun run = shootout(rig, settings);
        run.run();
        assertThat(rig.runs).hasSize(8).first().asString().contains("plain relay");
        assertThat(lanes(run).get(0).cells())
                .hasSize(2)
                .flatExtracting(Cell::shares)
                .hasSize(4)
                .allSatisfy(one -> {
                    assertThat(one.out()).isEqualTo(0.8);
                    assertThat(one.in())
                            .as("an eighth came in of what went out, of both")
                            .isCloseTo(0.8, within(0.001));
                });
    }

    @Test
    void likeIsSetAgainstLike() throws Exception {
        FakeRig rig = new FakeRig((number, cell) -> USUAL);
        ShootoutRun run = shootout(rig, settings(1, LaneKind.LOOPBACK, LaneKind.UNIX, LaneKind.GBE_1));
        run.run();
        assertThat(lanes(run))
                .extracting(lane -> lane.cells().stream()
                        .map(cell -> cell.load().transport())
                        .toList())
                .containsExactly(
                        List.of(Transport.TCP, Transport.UNIX_IN),
                        List.of(Transport.UNIX),
                        List.of(Transport.TCP, Transport.UNIX_IN));
    }

    @Test
    void aRelayElsewhereHasPublishersOnTcpAlone() {
        assertThat(Way.to("a", (RemoteRelay) RELAY, Optional.empty(), Optional.empty())
                        .transported(ONE))
                .containsExactly(ONE);
    }

    @Test
    void whoAcceptsDisturbedRunsHasThemCountedAndTold() throws Exception {
        FakeRig rig = new FakeRig((number, cell) -> USUAL.beside(0.4));
        List<LaneSpec> gigabit = List.of(LaneSpec.of(LaneKind.GBE_1));
        ShootoutRun run = shootout(rig, new Shootout(gigabit, List.of(ONE), 1, SECOND, false, true));
        run.run();
        assertThat(run.results().runs()).hasSize(2).allMatch(RunRecord::counts).allSatisfy(one -> assertThat(
                        one.outcome().observed())
                .containsExactly(new Observed(Observed.Kind.DISTURBED, "other programs took 40 % of all cores")));
    }

    /** A ceiling that the machine disturbed is none, and that of another round met another machine. */
    @Test
    void aRunWhoseRoundHasNoCeilingThatCountsIsSetAgainstNone() throws Exception {
        FakeRig rig =
                new FakeRig((number, plan) -> number < 5 && plan.contestant() != RELAY ? USUAL.beside(0.4) : USUAL);
        ShootoutRun run = shootout(rig, settings(2, LaneKind.LOOPBACK));
        run.run();
        Cell cell = lanes(run).get(0).cells().get(0);
        assertThat(cell.runs()).hasSize(2);
        assertThat(cell.shares()).extracting(Share::round, Share::out).containsExactly(tuple(2, 1.0));
    }

    @Test
    void whatALinkGivesWithoutARelayIsMeasuredInEveryRound() throws Exception {
        FakeRig rig = new FakeRig((number, cell) -> new Given(1_000_000, 1_000));
        Shootout settings = new Shootout(List.of(LaneSpec.of(LaneKind.GBE_1)), List.of(ONE), 2, SECOND, true, false);
        ShootoutRun run = shootout(rig, settings);
        run.run();
        assertThat(rig.runs).hasSize(6);
        assertThat(rig.runs.get(0)).endsWith("baseline");
        assertThat(rig.runs.get(5)).as("the other way round").endsWith("baseline");
        // 108 MB/s of 110 and of 120.
        assertThat(run.results().notes())
                .containsExactly(
                        "1gbe (emulated, MTU 1500) without a relay: raw stream 110.0 MB/s, iperf3 120.0 MB/s (medians of 2)",
                        "  iperf3 says: Ignoring nonsense TCP MSS 0",
                        "  1 -> 1, body 100, full speed: 0.982 (0.982 .. 0.982) of the raw stream,"
                                + " 0.900 (0.900 .. 0.900) of iperf3",
                        "  1 -> 1, body 100, full speed, Unix in: 0.982 (0.982 .. 0.982) of the raw stream,"
                                + " 0.900 (0.900 .. 0.900) of iperf3");
    }

    @Test
    void aLaneThatCannotBeSetUpIsSkippedWithItsReason() throws Exception {
        FakeRig rig = new FakeRig((number, cell) -> USUAL);
        ShootoutRun.Opener opener = spec -> {
            if (spec.kind() == LaneKind.GBE_1) {
                throw new IOException("tc is not installed");
            }
            return way(spec);
        };
        ShootoutRun run = shootout(rig, settings(2, LaneKind.GBE_1, LaneKind.GBE_10), opener, kept::add);
        run.run();
        assertThat(notices).containsExactly("lane 1gbe (emulated, MTU 1500) is skipped: tc is not installed");
        assertThat(lanes(run).get(0).skipped()).isEqualTo("tc is not installed");
        assertThat(rig.runs).hasSize(4);
    }

    @Test
    void withoutAnyLaneItFails() throws Exception {
        ShootoutRun.Opener opener = spec -> {
            throw new IOException("no");
        };
        ShootoutRun run = shootout(new FakeRig(null), settings(1, LaneKind.GBE_1), opener, kept::add);
        run.run();
        assertThat(run.results().ending()).isEqualTo(new Ending(Ending.How.FAILED, "no lane could be set up"));
    }

    @Test
    void aRunThatDiesIsMarkedAndTheOthersGoOn() throws Exception {
        FakeRig rig = new FakeRig((number, cell) -> {
            if (number == 4) {
                throw new RunException("relay ended with exit code 137");
            }
            return USUAL;
        });
        ShootoutRun run = shootout(rig, settings(4, LaneKind.GBE_1));
        run.run();
        List<RunRecord> runs = lanes(run).get(0).cells().get(0).runs();
        assertThat(runs).hasSize(4);
        assertThat(runs.get(1).outcome().partial()).isTrue();
        assertThat(runs.get(1).outcome().failures()).containsExactly("relay ended with exit code 137");
        assertThat(runs.get(2).outcome().passed()).isTrue();
        assertThat(run.exitCode()).isOne();
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
        ShootoutRun run = shootout(rig, settings(5, LaneKind.GBE_1, LaneKind.GBE_10));
        run.run();
        assertThat(lanes(run).get(0).cells())
                .hasSize(2)
                .flatExtracting(Cell::runs)
                .hasSize(2);
        assertThat(lanes(run).get(1).cells())
                .hasSize(2)
                .flatExtracting(Cell::runs)
                .hasSize(10);
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
        ShootoutRun run = shootout(rig, settings(5, LaneKind.GBE_1));
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
                settings(1, LaneKind.GBE_1),
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
        Shootout settings = settings(2, LaneKind.GBE_1);
        ShootoutRun run = shootout(rig, settings, this::way, shootout -> {
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
        ShootoutRun run = shootout(rig, settings(4, LaneKind.GBE_1), this::way, shootout -> {
            throw new IOException("cannot write results.json: No space left on device");
        });
        run.run();
        assertThat(run.results().runs()).hasSize(8);
        assertThat(run.isUnwritten()).isTrue();
        assertThat(notices)
                .containsExactly("results cannot be written: cannot write results.json: No space left on device; the"
                        + " runs go on");
    }

    @Test
    void aDiskThatHasRoomAgainGetsEverything() throws Exception {
        FakeRig rig = new FakeRig((number, cell) -> USUAL);
        ShootoutRun run = shootout(rig, settings(4, LaneKind.GBE_1), this::way, shootout -> {
            if (shootout.runs().size() == 2) {
                throw new IOException("full");
            }
            kept.add(shootout);
        });
        run.run();
        assertThat(run.isUnwritten()).isFalse();
        assertThat(notices).hasSize(2).last().isEqualTo("results are written again");
        assertThat(kept.get(kept.size() - 1).runs()).hasSize(8);
    }
}
