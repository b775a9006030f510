package dev.msgrelay.loadgen.report;

import dev.msgrelay.loadgen.render.Chart;
import dev.msgrelay.loadgen.render.Chart.Axis;
import dev.msgrelay.loadgen.render.Chart.Series;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.run.RunResult.Delay;
import dev.msgrelay.loadgen.run.Timeline;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import org.HdrHistogram.Histogram;

/** The curves of a cell, one for each of its runs. */
final class Curves {
    /** Steps to each nine of a percentile curve. */
    private static final int STEPS = 8;

    private static final double MEDIAN = 2;

    /** A ceiling that is further away than so many times the highest point would press the curves flat. */
    private static final double CEILING_SHOWN = 2;

    private final Cell cell;

    Curves(Cell cell) {
        this.cell = cell;
    }

    /** Those that there is anything to draw of. */
    List<Chart> charts() {
        List<Chart> charts = new ArrayList<>();
        if (cell.runs().stream().anyMatch(run -> run.throughput().timeline().size() > 1)) {
            charts.add(throughput());
        }
        percentiles(charts, Delay.LATENCY, "Latency", "from the intended time of sending");
        percentiles(
                charts,
                Delay.TIME_IN_QUEUE,
                "Time in queue",
                "at full speed, from the write of a message to its read: no latency");
        return charts;
    }

    private Chart throughput() {
        List<Series> all = new ArrayList<>();
        double most = 0;
        double last = 0;
        for (RunRecord run : cell.runs()) {
            List<Timeline.Point> timeline = run.throughput().timeline();
            if (timeline.size() > 1) {
                all.add(timeline(label(run) + ", out", timeline, Timeline.Point::out));
                if (run.throughput().in() != null && cell.parameters().subscribers() > 1) {
                    all.add(timeline(label(run) + ", in", timeline, Timeline.Point::in));
                }
                most = Math.max(
                        most,
                        timeline.stream().mapToDouble(Timeline.Point::out).max().orElse(0));
                last = Math.max(last, timeline.get(timeline.size() - 1).seconds());
            }
        }
        String note = "the measured part; out is the sum over all subscribers";
        if (cell.ceilings() != null) {
            double ceiling = cell.ceilings().batched().messagesPerSecond();
            if (ceiling <= CEILING_SHOWN * most) {
                all.add(Series.level("ceiling", 0, last, ceiling));
            } else {
                note += "; the ceiling, " + Unit.COUNT.text(ceiling) + " msg/s, is above the picture";
            }
        }
        return new Chart(
                "Throughput over time",
                note,
                Axis.linear("time since the measured part began", Unit.SECONDS),
                Axis.linear("messages a second", Unit.COUNT),
                all);
    }

    private static Series timeline(String name, List<Timeline.Point> points, ToDoubleFunction<Timeline.Point> value) {
        return Series.of(
                name,
                points.stream().mapToDouble(Timeline.Point::seconds).toArray(),
                points.stream().mapToDouble(value).toArray());
    }

    private void percentiles(List<Chart> charts, Delay which, String title, String note) {
        List<Series> all = cell.runs().stream()
                .filter(run -> run.delays().has(which))
                .map(run -> percentiles(label(run), run.delays().of(which)))
                .toList();
        if (!all.isEmpty()) {
            charts.add(new Chart(
                    title,
                    note,
                    Axis.percentiles("percentile"),
                    Axis.log(title.toLowerCase(Locale.ROOT), Unit.NANOS),
                    all));
        }
    }

    /** The same percentiles for every run, from the median on; as far as there is a message above. */
    private static Series percentiles(String name, Histogram histogram) {
        List<Series.Point> points = new ArrayList<>();
        for (double x : grid(histogram.getTotalCount())) {
            double value = histogram.getValueAtPercentile((1 - 1 / x) * 100);
            points.add(new Series.Point(x, Math.max(value, 1)));
        }
        return new Series(name, points, false);
    }

    /** 1 / (1 - p) of 50 %, then of steps to 90 %, 99 % and so on. */
    private static double[] grid(double most) {
        return DoubleStream.concat(
                        DoubleStream.of(MEDIAN),
                        DoubleStream.iterate(1, step -> step + 1)
                                .map(step -> Math.pow(10, step / STEPS))
                                .dropWhile(x -> x <= MEDIAN))
                .takeWhile(x -> x <= most)
                .toArray();
    }

    private static String label(RunRecord run) {
        String round = "round " + run.moment().round();
        if (!run.outcome().passed()) {
            return round + " (FAIL)";
        }
        if (run.outcome().partial()) {
            return round + " (partial)";
        }
        String said = Tables.brief(run);
        return said.isEmpty() ? round : round + " (" + said + ")";
    }
}
