package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.bound.BoundBy;
import dev.msgrelay.loadgen.load.BodySizes;
import dev.msgrelay.loadgen.result.Ceilings;
import dev.msgrelay.loadgen.result.Correctness;
import dev.msgrelay.loadgen.result.Delays;
import dev.msgrelay.loadgen.result.Flow;
import dev.msgrelay.loadgen.result.Moment;
import dev.msgrelay.loadgen.result.Outcome;
import dev.msgrelay.loadgen.result.Parameters;
import dev.msgrelay.loadgen.result.Places;
import dev.msgrelay.loadgen.result.Places.Place;
import dev.msgrelay.loadgen.result.Resources;
import dev.msgrelay.loadgen.result.Resources.ProcessRecord;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecords;
import dev.msgrelay.loadgen.result.Throughput;
import dev.msgrelay.loadgen.result.TimelinePoint;
import dev.msgrelay.loadgen.run.Observed;
import dev.msgrelay.loadgen.run.RunResult;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Runs as results know them. */
final class Records {
    private static final String HERE = "here";
    private static final double SECOND_NANOS = 1e9;

    private Records() {}

    /**
     * A cell's parameters.
     *
     * @param mtu of the lane's link, or 0
     */
    static Parameters parameters(LoadPoint point, int mtu) {
        BodySizes body = point.body();
        return new Parameters(
                new Parameters.Body(body.toString(), body.mean()),
                point.publishers(),
                point.subscribers(),
                point.batch(),
                point.rate(),
                mtu,
                point.burst());
    }

    /**
     * One run.
     *
     * @param far name of the site across the link
     * @param ceilings null where none is known
     */
    static RunRecord of(Taken taken, Places places, String far, Ceilings ceilings) {
        if (!taken.isWhole()) {
            return failed(taken);
        }
        RunResult result = taken.result();
        RunRecords.Around around = new RunRecords.Around(places, ceilings, timeline(result), skew(result), null, HERE);
        RunRecord record =
                RunRecords.of(taken.round(), taken.started(), result, taken.hops(), around, taken.failures());
        return new RunRecord(
                record.moment(),
                record.hops(),
                record.throughput(),
                record.delays(),
                record.correctness(),
                new Resources(processes(record, places, far), boundBy(result, record.throughput(), ceilings)),
                new Outcome(taken.failures(), marks(taken), false));
    }

    /** Each where it lived. */
    private static List<ProcessRecord> processes(RunRecord record, Places places, String far) {
        return record.resources().processes().stream()
                .map(one -> isFar(one.name(), places)
                        ? new ProcessRecord(one.name(), one.cpuSeconds(), one.peakResidentBytes(), far)
                        : one)
                .toList();
    }

    private static boolean isFar(String process, Places places) {
        return process.startsWith("publisher") && places.publishers() == Place.FAR
                || process.startsWith("subscriber") && places.subscribers() == Place.FAR;
    }

    /** Null where nobody could be later than another. */
    private static Histogram skew(RunResult result) {
        return result.load().hasSkew() ? result.received().skew().nanos() : null;
    }

    private static List<String> marks(Taken taken) {
        List<String> marks = new ArrayList<>(RunRecords.marks(taken.hops().regime()));
        if (taken.isWhole()) {
            marks.addAll(taken.outcome().marks());
        }
        return marks;
    }

    private static List<TimelinePoint> timeline(RunResult result) {
        return result.observed().timeline().points().stream()
                .map(point -> new TimelinePoint(
                        Math.round(point.seconds() * SECOND_NANOS),
                        point.in(),
                        point.out(),
                        point.bytesIn(),
                        point.bytesOut(),
                        point.lagBytes()))
                .toList();
    }

    /** Judged with what the link could have given, which the run itself does not know. */
    private static Resources.BoundBy boundBy(RunResult result, Throughput throughput, Ceilings ceilings) {
        boolean link = ceilings != null && ceilings.source().equals(Ceilings.LINK);
        Observed observed = link
                ? result.observed().withLink(throughput.ingressFraction(), throughput.egressFraction())
                : result.observed();
        BoundBy bound = observed.bound();
        return new Resources.BoundBy(bound.kind().toString(), bound.reasons());
    }

    /** A run that did not come to its end has no figures: what it would have given is not known. */
    private static RunRecord failed(Taken taken) {
        Flow none = new Flow(0, 0, 0);
        return new RunRecord(
                new Moment(taken.round(), taken.started(), 0, 0),
                taken.hops(),
                new Throughput(null, none, Double.NaN, Double.NaN, List.of()),
                Delays.NONE,
                new Correctness(false, List.of(), Correctness.Schedule.NONE),
                new Resources(List.of(), null),
                new Outcome(taken.failures(), marks(taken), true));
    }
}
