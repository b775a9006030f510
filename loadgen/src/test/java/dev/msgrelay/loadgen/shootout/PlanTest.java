package dev.msgrelay.loadgen.shootout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.load.BodySizes;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.shootout.Plan.PlannedLane;
import dev.msgrelay.loadgen.shootout.Step.What;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PlanTest {
    private static final Timing TIMING = new Timing(Duration.ofSeconds(1), Duration.ofSeconds(2));
    private static final BodySizes SMALL = BodySizes.fixed(100);
    private static final BodySizes LARGE = BodySizes.fixed(10_000);

    @Test
    void lanesTakeTurnsWithinAPointAndRoundsAreOutermost() {
        Plan plan = plan(List.of(lane("a", false), lane("b", false)), points(SMALL, LARGE), 3);
        assertThat(plan.round(1))
                .extracting(step -> step.lane() + step.point().body())
                .containsExactly("a100", "b100", "a10000", "b10000");
        assertThat(plan.cells()).isEqualTo(4);
        assertThat(plan.runs()).isEqualTo(12);
    }

    @Test
    void everyOtherRoundIsReversed() {
        Plan plan = plan(List.of(lane("a", true), lane("b", false)), points(SMALL, LARGE), 3);
        List<Step> reversed = new ArrayList<>(plan.round(1));
        Collections.reverse(reversed);
        assertThat(plan.round(2)).isEqualTo(reversed);
        assertThat(plan.round(3)).isEqualTo(plan.round(1));
    }

    @Test
    void aCeilingIsMeasuredOnceARoundForAllPointsThatShareIt() {
        List<LoadPoint> points =
                new Matrix(List.of(SMALL), List.of(1, 4), List.of(1, 8), List.of(0), List.of(0), List.of(1)).points();
        Plan plan = plan(List.of(lane("a", true)), points, 1);
        assertThat(plan.round(1))
                .extracting(step -> step.what() + " " + step.point().publishers() + "->"
                        + step.point().subscribers())
                .containsExactly(
                        "direct 1->1",
                        "plain relay 1->1",
                        "relay 1->1",
                        "plain relay 1->8",
                        "relay 1->8",
                        "relay 4->1",
                        "relay 4->8");
        for (LoadPoint point : points) {
            assertThat(plan.round(1)).containsAll(Plan.ceilings("a", point));
        }
    }

    @Test
    void onlyCalibratedLanesHaveMeasuredCeilings() {
        Plan plan = plan(List.of(lane("a", false), lane("b", true)), points(SMALL), 1);
        assertThat(plan.round(1).stream().filter(step -> step.what() != What.RELAY))
                .extracting(Step::lane)
                .containsOnly("b");
    }

    @Test
    void aMatrixIsCountedWithoutBeingMade() {
        List<Integer> many = Collections.nCopies(100_000, 1);
        assertThat(new Matrix(List.of(SMALL), many, many, many, List.of(0), List.of(1)).size())
                .isEqualTo(1_000_000_000_000_000L);
    }

    @Test
    void eachCombinationIsThereOnce() {
        Matrix matrix =
                new Matrix(List.of(SMALL, LARGE), List.of(1, 4), List.of(1, 8, 64), List.of(0), List.of(0), List.of(1));
        assertThat(matrix.points()).hasSize(12).doesNotHaveDuplicates();
        assertThat(matrix.size()).isEqualTo(12);
    }

    @Test
    void burstsAreOfAScheduleAlone() {
        Matrix matrix =
                new Matrix(List.of(SMALL), List.of(1), List.of(1), List.of(0, 10), List.of(0, 1_000), List.of(1, 50));
        assertThat(matrix.points())
                .containsExactly(
                        new LoadPoint(SMALL, 1, 1, 0, 0, 1),
                        new LoadPoint(SMALL, 1, 1, 0, 1_000, 1),
                        new LoadPoint(SMALL, 1, 1, 0, 1_000, 50),
                        new LoadPoint(SMALL, 1, 1, 10, 0, 1),
                        new LoadPoint(SMALL, 1, 1, 10, 1_000, 1),
                        new LoadPoint(SMALL, 1, 1, 10, 1_000, 50));
    }

    @Test
    void theEstimateIsTheSumOfAllRuns() {
        Plan plan = plan(List.of(lane("a", false), lane("b", false)), points(SMALL), 3);
        assertThat(plan.estimate()).isEqualTo(Duration.ofMillis(6 * (1_000 + 2_000 + Plan.OVERHEAD_MILLIS)));
        LoadPoint wide = new LoadPoint(SMALL, 4, 64, 0, 0, 1);
        long most = plan.estimateMillis(new Step("a", wide, What.RELAY));
        assertThat(most).isBetween(7_000L, 15_000L);
    }

    @Test
    void aPlainShootoutEndsWithinAFewMinutes() {
        List<PlannedLane> lanes =
                List.of(lane("loopback", true), lane("unix", true), lane("1gbe", false), lane("10gbe", false));
        Timing usual = new Timing(Duration.ofSeconds(2), Duration.ofSeconds(3));
        assertThat(new Plan(lanes, points(SMALL), 3, usual).estimate())
                .isBetween(Duration.ofMinutes(2), Duration.ofMinutes(4));
    }

    private static Plan plan(List<PlannedLane> lanes, List<LoadPoint> points, int rounds) {
        return new Plan(lanes, points, rounds, TIMING);
    }

    private static PlannedLane lane(String name, boolean calibrated) {
        return new PlannedLane(name, calibrated);
    }

    private static List<LoadPoint> points(BodySizes... bodies) {
        return IntStream.range(0, bodies.length)
                .mapToObj(i -> new LoadPoint(bodies[i], 1, 1, 0, 0, 1))
                .toList();
    }
}
