package dev.msgrelay.loadgen.rig;

import dev.msgrelay.loadgen.plan.Traffic;
import dev.msgrelay.loadgen.plan.Window;
import dev.msgrelay.loadgen.result.RunRecord.Throughput;
import dev.msgrelay.loadgen.result.RunRecord.Throughput.Point;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * The progress of a run, for people: the last second that all workers have reported, and at the end the result. No
 * result is computed from it.
 *
 * @param elapsedNanos time since the first message, with the warm-up
 * @param totalNanos time from the first message to the end of the window
 * @param in messages a second; NaN before the first reports, like the other rates
 * @param lagBytes largest lag of a subscriber, or -1 where the relay does not tell
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

    /** Steps of the timeline in the mean: one second. */
    private static final int STEPS = 4;

    /** Time in which every worker has reported: busy ones report later than once a second. */
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
