package dev.msgrelay.loadgen.rig;

import dev.msgrelay.loadgen.plan.Json;
import dev.msgrelay.loadgen.plan.Progress;
import dev.msgrelay.loadgen.plan.Progress.Count;
import dev.msgrelay.loadgen.result.RunRecord.Throughput.Point;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Computes the throughput over the measured window, in equal steps, from the progress reports of the workers. */
final class Timeline {
    /** Length of a step, which is also the time between two counts of a worker. */
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** The most points, as a chart cannot show more. Longer windows have longer steps. */
    private static final int MAX_POINTS = 1_200;

    private static final double[] UNKNOWN = {Double.NaN, Double.NaN};

    private Timeline() {}

    record Lag(long nanos, long bytes) {}

    static List<Point> of(long begin, long end, List<Child> publishers, List<Child> subscribers, Child relay) {
        List<Child.Event> reports = relay == null ? List.of() : relay.all("stats");
        List<Lag> lags = reports.stream()
                .map(event -> new Lag(
                        event.nanos(), event.json().path("largestLagBytes").asLong(-1)))
                .toList();
        return of(begin, end, counts(publishers, end), counts(subscribers, end), lags);
    }

    static List<Point> of(long begin, long end, List<List<Count>> in, List<List<Count>> out, List<Lag> lags) {
        long step = Math.max(STEP_NANOS, (end - begin) / MAX_POINTS);
        List<Point> points = new ArrayList<>();
        for (long from = begin; from + step <= end; from += step) {
            long to = from + step;
            double[] sent = in.isEmpty() ? UNKNOWN : rates(in, from, to);
            double[] got = rates(out, from, to);
            if ((in.isEmpty() || isKnown(sent)) && isKnown(got)) {
                points.add(new Point((to - begin) / 1e9, sent[0], sent[1], got[0], got[1], lagAt(lags, to)));
            }
        }
        return points;
    }

    private static List<List<Count>> counts(List<Child> workers, long end) {
        return workers.stream().map(worker -> until(end, worker)).toList();
    }

    /**
     * Returns the counts of one worker until the window's end. The last count of a worker that has finished may be a
     * little earlier, and is then repeated at the window's end.
     */
    private static List<Count> until(long end, Child worker) {
        List<Count> counts = counts(worker);
        Child.Event last = worker.latest("progress");
        if (last != null && Json.read(last.json(), Progress.class).last()) {
            Count newest = counts.get(counts.size() - 1);
            counts.add(new Count(Math.max(newest.nanos(), end), newest.messages(), newest.bytes()));
        }
        return counts;
    }

    private static List<Count> counts(Child worker) {
        List<Count> counts = new ArrayList<>();
        worker.all("progress")
                .forEach(event ->
                        counts.addAll(Json.read(event.json(), Progress.class).counts()));
        return counts;
    }

    /** Returns messages and bytes a second of all workers together; NaN if they are unknown for one worker. */
    private static double[] rates(List<List<Count>> workers, long from, long to) {
        double[] sum = new double[2];
        for (List<Count> worker : workers) {
            double[] before = at(worker, from);
            double[] after = at(worker, to);
            for (int i = 0; i < sum.length; i++) {
                sum[i] += (after[i] - before[i]) * 1e9 / (to - from);
            }
        }
        return sum;
    }

    /** Interpolates messages and bytes between two reports; NaN outside of the reports. */
    private static double[] at(List<Count> counts, long nanos) {
        for (int i = 1; i < counts.size(); i++) {
            Count before = counts.get(i - 1);
            Count after = counts.get(i);
            if (before.nanos() <= nanos && nanos <= after.nanos() && before.nanos() < after.nanos()) {
                double part = (double) (nanos - before.nanos()) / (after.nanos() - before.nanos());
                return new double[] {
                    before.messages() + part * (after.messages() - before.messages()),
                    before.bytes() + part * (after.bytes() - before.bytes())
                };
            }
        }
        return UNKNOWN;
    }

    private static boolean isKnown(double[] rates) {
        return !Double.isNaN(rates[0]);
    }

    private static long lagAt(List<Lag> lags, long nanos) {
        long bytes = -1;
        for (Lag lag : lags) {
            if (lag.nanos() <= nanos) {
                bytes = lag.bytes();
            }
        }
        return bytes;
    }
}
