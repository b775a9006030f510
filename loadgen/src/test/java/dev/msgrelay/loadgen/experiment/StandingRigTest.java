package dev.msgrelay.loadgen.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.plan.Congestion;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.rig.Children;
import dev.msgrelay.loadgen.rig.Contestant;
import dev.msgrelay.loadgen.rig.Plan;
import dev.msgrelay.loadgen.rig.RunException;
import dev.msgrelay.loadgen.rig.RunObserver;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A relay and the plain relay in turn, with real processes and sockets. Nothing here asserts a speed. */
class StandingRigTest {
    private static final Timing SHORT = new Timing(Duration.ofMillis(50), Duration.ofMillis(200));
    private static final Load LOAD = Load.oneToOne(100).withRate(2_000);

    /** The process of the plain relay listens anew for each run, on a Unix socket at the same path. */
    @ParameterizedTest
    @EnumSource(names = {"LOOPBACK", "UNIX"})
    void relayAndPlainRelayServeSeveralRunsInTurn(LaneKind kind) throws Exception {
        try (Way way = Way.open(LaneSpec.of(kind), List.of(), List.of());
                StandingRig rig = new StandingRig(way.lane().placement())) {
            Plan relay = way.plan(LOAD, SHORT, rig);
            Plan plain = way.plain(LOAD, SHORT, rig);
            for (Plan plan : List.of(relay, plain, plain, relay)) {
                RunRecord run = rig.run(plan, 1, RunObserver.NONE);
                assertClean(plan, run);
                assertThat(run.resources().processes().get(0).name())
                        .isEqualTo(plan.contestant().name());
            }
        }
    }

    /** The publishers and subscribers of a run that broke off cannot serve another one. */
    @ParameterizedTest
    @EnumSource(names = {"LOOPBACK", "UNIX"})
    void aPlainRelayThatBreaksOffSpoilsNoOtherRun(LaneKind kind) throws Exception {
        try (Way way = Way.open(LaneSpec.of(kind), List.of(), List.of());
                StandingRig rig = new StandingRig(way.lane().placement())) {
            Plan relay = way.plan(LOAD, SHORT, rig);
            Plan plain = way.plain(LOAD, SHORT, rig);
            Plan killed = way.plan(", killed", new Killed(plain.contestant()), plain.load(), SHORT, rig);
            assertClean(relay, rig.run(relay, 1, RunObserver.NONE));
            assertThatExceptionOfType(RunException.class).isThrownBy(() -> rig.run(killed, 1, RunObserver.NONE));
            for (Plan plan : List.of(relay, plain)) {
                assertClean(plan, rig.run(plan, 1, RunObserver.NONE));
            }
        }
    }

    /** A contestant whose process is killed when all are connected. */
    private record Killed(Contestant contestant) implements Contestant {
        @Override
        public String name() {
            return contestant.name();
        }

        @Override
        public boolean stays() {
            return contestant.stays();
        }

        @Override
        public Congestion congestion(Started started) {
            assertThat(ProcessHandle.of(started.process().pid()).orElseThrow().destroyForcibly())
                    .isTrue();
            return Congestion.UNKNOWN;
        }

        @Override
        public Started start(Children children, Load load) throws IOException, RunException, InterruptedException {
            return contestant.start(children, load);
        }
    }

    private static void assertClean(Plan plan, RunRecord run) {
        assertThat(run.correctness().sent()).isPositive();
        assertThat(run.correctness().subscribers())
                .allSatisfy(one ->
                        assertThat(one.isClean()).as("%s: %s", plan.name(), one).isTrue());
    }
}
