package dev.msgrelay.loadgen.rig;

import dev.msgrelay.loadgen.plan.Traffic;
import dev.msgrelay.loadgen.plan.Window;
import dev.msgrelay.loadgen.result.RunRecord.Throughput;
import dev.msgrelay.loadgen.result.RunRecord.Throughput.Point;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * A run at this moment: the last second that all workers have told of, and at the end what was measured. For people to
 * watch; no result is taken from it.
 *
 * @param elapsedNanos since the first message, warm-up included
 * @param totalNanos from the first message to the end of the window
 * @param in messages a second; NaN as long as nobody has told of them, as the others
 * @param lagBytes the largest lag of a subscriber, or -1 where the relay does not tell
 */
public record Live(
        String phase,
        long elapsedNanos,
        long totalNanos,
        double in,
        double bytesIn,
        double out,
        double bytesOut,
        long lagBytes) {
    /** The phase whose figures are the result's. */
    public static final String MEASURED = "measured";

    /** A second: figures of a shorter time would only be more restless. */
    private static final int STEPS = 4;

    /** Workers tell once a second, a busy one a little later. */
    private static final long LOOK_BACK_NANOS = TimeUnit.SECONDS.toNanos(3);

    static Live of(String phase, Window window, Fleet fleet, Child relay) {
        long now = System.nanoTime();
        List<Point> known = Timeline.of(now - LOOK_BACK_NANOS, now, fleet.publishers(), fleet.subscribers(), relay)
                .points();
        List<Point> last = known.subList(Math.max(0, known.size() - STEPS), known.size());
        return new Live(
                phase,
                now - window.sendFrom(),
                window.end() - window.sendFrom(),
                mean(last, Point::in),
                mean(last, Point::bytesIn),
                mean(last, Point::out),
                mean(last, Point::bytesOut),
                last.isEmpty() ? -1 : last.get(last.size() - 1).lagBytes());
    }

    /** What was measured of a window, once all have told. */
    static Live measured(Window window, Throughput passed) {
        long total = window.end() - window.sendFrom();
        Traffic in = passed.in();
        Traffic out = passed.out();
        return new Live(
                MEASURED,
                total,
                total,
                in == null ? Double.NaN : in.messagesPerSecond(),
                in == null ? Double.NaN : in.bytesPerSecond(),
                out.messagesPerSecond(),
                out.bytesPerSecond(),
                -1);
    }

    private static double mean(List<Point> points, ToDoubleFunction<Point> figure) {
        return points.stream().mapToDouble(figure).average().orElse(Double.NaN);
    }
}
