package dev.msgrelay.loadgen.report;

import static dev.msgrelay.loadgen.render.Unit.format;
import static dev.msgrelay.loadgen.report.RunEvidence.nanos;

import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.rig.JoinRun;
import dev.msgrelay.loadgen.rig.JoinRun.Measured;
import java.util.List;
import java.util.Objects;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/** Joins of subscribers that start with the state, for people and for programs. */
public record JoinReport(Load load, List<Measured> joins) {
    private record Document(
            int types,
            int bodyBytes,
            int uncounted,
            double medianNanos,
            double medianRelayCpuNanos,
            List<Measured> joins,
            List<String> failures) {}

    public String text() {
        String result = format(
                "join: %s until the state was complete, %s of the relay's processor (median of %d)%n",
                nanos(median(Measured::nanos)), nanos(median(Measured::relayCpuNanos)), joins.size());
        String spread = format(
                "  %,d types, bodies of %d bytes; %s to %s, processor %s to %s; before them %d uncounted%n",
                load.types(),
                load.body().max(),
                nanos(at(0, Measured::nanos)),
                nanos(at(1, Measured::nanos)),
                nanos(at(0, Measured::relayCpuNanos)),
                nanos(at(1, Measured::relayCpuNanos)),
                JoinRun.WARM_UP);
        StringBuilder failed = new StringBuilder();
        failures().forEach(failure -> failed.append("FAIL: ").append(failure).append('\n'));
        return failed + result + spread;
    }

    public Object document() {
        return new Document(
                load.types(),
                load.body().max(),
                JoinRun.WARM_UP,
                median(Measured::nanos),
                median(Measured::relayCpuNanos),
                joins,
                failures());
    }

    /** Returns what was wrong: a type, or the number of messages. */
    public List<String> failures() {
        Stream<String> types = joins.stream().map(Measured::wrong).filter(Objects::nonNull);
        Stream<String> counts = joins.stream()
                .filter(join -> join.messages() != load.types())
                .map(join -> format("%,d messages came for %,d types", join.messages(), load.types()));
        return Stream.concat(types, counts).distinct().toList();
    }

    private double median(ToLongFunction<Measured> figure) {
        return at(0.5, figure);
    }

    /** Returns the value at a fraction of the sorted joins; between two of them their mean; NaN if one is unknown. */
    private double at(double fraction, ToLongFunction<Measured> figure) {
        long[] sorted = joins.stream().mapToLong(figure).sorted().toArray();
        double place = fraction * (sorted.length - 1);
        double value = (sorted[(int) Math.floor(place)] + sorted[(int) Math.ceil(place)]) / 2.0;
        return sorted[0] < 0 ? Double.NaN : value;
    }
}
