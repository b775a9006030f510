package dev.msgrelay.loadgen.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.message.BodySizes;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Timing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which cells there are, and in which order they are measured. */
class CellsOfAShootoutTest extends FakeShootout {
    private static final BodySizes SMALL = BodySizes.fixed(100);
    private static final BodySizes LARGE = BodySizes.fixed(10_000);

    @Test
    void lanesTakeTurnsWithinALoadAndRoundsAreOutermost() throws Exception {
        List<String> order = new ArrayList<>();
        FakeRig rig = new FakeRig((number, cell) -> {
            order.add(cell.group() + " " + cell.load().body());
            return USUAL;
        });
        List<Load> loads = Stream.of(SMALL, LARGE).map(ONE::withBody).toList();
        shootout(rig, settings(List.of(LaneKind.GBE_1, LaneKind.GBE_10), loads, 2))
                .run();
        assertThat(order.subList(0, 4))
                .containsExactly("lane 1gbe 100", "lane 10gbe 100", "lane 1gbe 10000", "lane 10gbe 10000");
        Collections.reverse(order);
        assertThat(order.subList(0, 4)).as("the other way round").isEqualTo(reversed(order.subList(4, 8)));
    }

    @Test
    void aCeilingIsMeasuredOnceARoundForAllLoadsThatShareIt() throws Exception {
        List<String> order = new ArrayList<>();
        FakeRig rig = new FakeRig((number, cell) -> {
            order.add(what(cell) + " " + cell.load().publishers() + "->"
                    + cell.load().subscribers());
            return USUAL;
        });
        List<Load> loads = new Matrix(List.of(SMALL), List.of(1, 4), List.of(1, 8), List.of(0)).loads();
        shootout(rig, settings(List.of(LaneKind.LOOPBACK), loads, 1)).run();
        assertThat(order)
                .containsExactly(
                        "direct 1->1",
                        "plain relay 1->1",
                        "relay 1->1",
                        "plain relay 1->8",
                        "relay 1->8",
                        "relay 4->1",
                        "relay 4->8");
    }

    private static String what(LoadCell cell) {
        return cell.contestant() == RELAY ? "relay" : cell.contestant().name().split(",")[0];
    }

    @Test
    void aMatrixIsCountedWithoutBeingMade() {
        List<Integer> many = Collections.nCopies(100_000, 1);
        assertThat(new Matrix(List.of(SMALL), many, many, many).size()).isEqualTo(1_000_000_000_000_000L);
    }

    @Test
    void eachCombinationIsThereOnce() {
        Matrix matrix = new Matrix(List.of(SMALL, LARGE), List.of(1, 4), List.of(1, 8, 64), List.of(0));
        assertThat(matrix.loads()).hasSize(12).doesNotHaveDuplicates();
        assertThat(matrix.size()).isEqualTo(12);
    }

    @Test
    void whatLiesAheadIsOneLine() {
        ShootoutSettings usual = new ShootoutSettings(
                Stream.of(LaneKind.LOOPBACK, LaneKind.UNIX, LaneKind.GBE_1, LaneKind.GBE_10)
                        .map(LaneSpec::of)
                        .toList(),
                List.of(ONE),
                3,
                new Timing(Duration.ofSeconds(2), Duration.ofSeconds(3)),
                sides(),
                new Yardsticks(true, false));
        assertThat(ShootoutRun.summary(usual))
                .isEqualTo("4 lanes x 1 load x 3 rounds: 24 runs with those for ceilings, about 3 min");
    }

    private static ShootoutSettings settings(List<LaneKind> kinds, List<Load> loads, int rounds) {
        return new ShootoutSettings(
                kinds.stream().map(LaneSpec::of).toList(), loads, rounds, SECOND, sides(), new Yardsticks(true, false));
    }

    private static List<String> reversed(List<String> list) {
        List<String> copy = new ArrayList<>(list);
        Collections.reverse(copy);
        return copy;
    }
}
