package dev.msgrelay.loadgen.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.msgrelay.loadgen.plan.Progress.Count;
import dev.msgrelay.loadgen.result.RunRecord.Throughput.Point;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class TimelineTest {
    private static final Offset<Double> NEAR = within(1e-6);
    private static final long BEGIN = -millis(500);

    @Test
    void anEvenSpeedIsEvenWhateverTheMomentsOfTheReports() {
        List<Count> sent = List.of(count(-30, 0), count(170, 200), count(555, 585), count(1_100, 1_130));
        List<Point> points = Timeline.of(BEGIN, BEGIN + millis(1_000), List.of(sent), List.of(sent, sent), List.of());
        assertThat(points).hasSize(4).allSatisfy(point -> {
            assertThat(point.in()).isCloseTo(1_000, NEAR);
            assertThat(point.bytesIn()).isCloseTo(100_000, NEAR);
            assertThat(point.out()).isCloseTo(2_000, NEAR);
            assertThat(point.bytesOut()).isCloseTo(200_000, NEAR);
            assertThat(point.lagBytes()).isEqualTo(-1);
        });
        assertThat(points).extracting(Point::seconds).containsExactly(0.25, 0.5, 0.75, 1.0);
    }

    @Test
    void aStandstillShows() {
        List<Count> sent = List.of(count(0, 0), count(250, 500), count(500, 500), count(750, 600));
        List<Point> points = Timeline.of(BEGIN, BEGIN + millis(750), List.of(sent), List.of(sent), List.of());
        assertThat(points).extracting(Point::in).containsExactly(2_000.0, 0.0, 400.0);
    }

    @Test
    void stepsOfWhichAWorkerSaysNothingAreLeftOut() {
        List<Count> whole = List.of(count(0, 0), count(1_000, 1_000));
        List<Count> part = List.of(count(240, 0), count(760, 520));
        List<Point> points = Timeline.of(BEGIN, BEGIN + millis(1_000), List.of(whole), List.of(whole, part), List.of());
        assertThat(points).extracting(Point::seconds).containsExactly(0.5, 0.75);
    }

    @Test
    void withoutPublishersNobodyCountsWhatGoesIn() {
        List<Count> got = List.of(count(0, 0), count(500, 100));
        List<Point> points = Timeline.of(BEGIN, BEGIN + millis(500), List.of(), List.of(got), List.of());
        assertThat(points).hasSize(2).allSatisfy(point -> {
            assertThat(point.in()).isNaN();
            assertThat(point.out()).isCloseTo(200, NEAR);
        });
    }

    @Test
    void theLagIsTheRelaysLastWord() {
        List<Count> got = List.of(count(0, 0), count(1_000, 100));
        List<Timeline.Lag> lags =
                List.of(new Timeline.Lag(BEGIN + millis(300), 7_000), new Timeline.Lag(BEGIN + millis(900), 9_000));
        List<Point> points = Timeline.of(BEGIN, BEGIN + millis(1_000), List.of(), List.of(got), lags);
        assertThat(points).extracting(Point::lagBytes).containsExactly(-1L, 7_000L, 7_000L, 9_000L);
    }

    @Test
    void aLongWindowHasLongerStepsAndNotMore() {
        List<Count> got = new ArrayList<>();
        for (int second = 0; second <= 3_600; second++) {
            got.add(count(1_000L * second, 1_000L * second));
        }
        List<Point> points = Timeline.of(BEGIN, BEGIN + millis(3_600_000), List.of(got), List.of(got), List.of());
        assertThat(points).hasSize(1_200);
        assertThat(points.get(1_199).seconds()).isCloseTo(3_600, NEAR);
        assertThat(points.get(700).out()).isCloseTo(1_000, NEAR);
    }

    private static Count count(long millis, long messages) {
        return new Count(BEGIN + millis(millis), messages, 100 * messages);
    }

    private static long millis(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }
}
