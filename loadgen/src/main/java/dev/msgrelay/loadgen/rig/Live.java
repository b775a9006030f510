package dev.msgrelay.loadgen.rig;

import dev.msgrelay.loadgen.plan.Traffic;
import dev.msgrelay.loadgen.plan.Window;
import dev.msgrelay.loadgen.result.RunRecord.Throughput;
import dev.msgrelay.loadgen.result.RunRecord.Throughput.Point;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * The progress of a run, for people: the mean of the last second for which all workers have reported, and at the end
 * the result. Results are not computed from these values.
 *
 * @param elapsedNanos time since publishers started, including the warm-up
 * @param in messages a second; NaN before the first reports, like all other rates
 * @param lagBytes largest lag of a subscriber; -1 if the relay does not report it
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
    public static final String MEASURED = "measured";

    /** Number of steps of the timeline over which the mean is taken: one second. */
    private static final int STEPS = 4;

    /** Time after which every worker has reported. Busy workers report less often than once a second. */
    private static final long LOOK_BACK_NANOS = TimeUnit.SECONDS.toNanos(3);

    static Live of(String phase, Window window, Fleet fleet, Child relay) {
        long now = System.nanoTime();
        List<Point> known = Timeline.of(now - LOOK_BACK_NANOS, now, fleet.publishers(), fleet.subscribers(), relay);
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
