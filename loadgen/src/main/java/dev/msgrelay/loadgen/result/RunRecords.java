package dev.msgrelay.loadgen.result;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.bound.BoundBy;
import dev.msgrelay.loadgen.bound.Signals;
import dev.msgrelay.loadgen.result.Cell.Ceilings;
import dev.msgrelay.loadgen.result.LaneResult.Place;
import dev.msgrelay.loadgen.result.LaneResult.Places;
import dev.msgrelay.loadgen.result.RunRecord.Correctness;
import dev.msgrelay.loadgen.result.RunRecord.Delays;
import dev.msgrelay.loadgen.result.RunRecord.Hops;
import dev.msgrelay.loadgen.result.RunRecord.Moment;
import dev.msgrelay.loadgen.result.RunRecord.Outcome;
import dev.msgrelay.loadgen.result.RunRecord.ProcessRecord;
import dev.msgrelay.loadgen.result.RunRecord.Resources;
import dev.msgrelay.loadgen.result.RunRecord.Throughput;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.Observed;
import dev.msgrelay.loadgen.run.ProcessUse;
import dev.msgrelay.loadgen.run.Punctuality;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Timeline;
import dev.msgrelay.loadgen.run.Traffic;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Turns what the rig measured into a record of a run. */
public final class RunRecords {
    private RunRecords() {}

    /**
     * What a run is set against.
     *
     * @param places who is across the link
     * @param ceilings null where none is known
     * @param near the site of the relay
     * @param far the site across the link
     */
    public record Around(Places places, Ceilings ceilings, String near, String far) {
        /** All on this machine. */
        public static Around here(Ceilings ceilings) {
            return new Around(Places.NEAR, ceilings, "here", "here");
        }
    }

    /**
     * A run.
     *
     * @param result null where it did not come to its end: what it would have given is not known
     */
    public static RunRecord of(int round, String started, Hops hops, Outcome outcome, RunResult result, Around around) {
        if (result == null) {
            return new RunRecord(
                    new Moment(round, started, 0, 0),
                    hops,
                    new Throughput(null, new Traffic(0, 0, 0), Double.NaN, Double.NaN, List.of()),
                    Delays.NONE,
                    new Correctness(false, List.of(), List.of(), Punctuality.NONE),
                    Resources.NONE,
                    outcome);
        }
        Load load = result.load();
        Observed observed = result.observed();
        Traffic in = result.published().total() > 0 ? result.published().traffic() : null;
        List<Timeline.Point> timeline =
                observed == null ? List.of() : observed.timeline().points();
        Throughput throughput = throughput(in, result.received().traffic(), load.subscribers(), timeline, around);
        return new RunRecord(
                new Moment(
                        round,
                        started,
                        result.timing().warmup().toNanos(),
                        result.timing().measured().toNanos()),
                hops,
                throughput,
                delays(result),
                new Correctness(
                        load.isChecked(),
                        result.received().checkNanos(),
                        result.received().subscribers(),
                        result.received().slow(),
                        result.published().punctuality(),
                        result.published().acknowledged(),
                        result.published().visits()),
                resources(result, throughput, around),
                outcome);
    }

    /** A latency needs a time at which a message was to be sent; at full speed it is time in queue. */
    private static Delays delays(RunResult result) {
        Load load = result.load();
        Histogram recorded = load.isChecked() ? result.received().latency() : null;
        return new Delays(
                load.rate() > 0 ? recorded : null,
                load.sampling(),
                load.hasSkew() ? result.received().skew() : null,
                load.rate() > 0 ? null : recorded,
                load.clients().acks().isAsked() ? result.published().acknowledgedAfter() : null);
    }

    /** What is to be said of the cores where they were not the same, or not free: one line, or none. */
    public static List<String> marks(Hops hops) {
        String took = format(
                "from core to core took %,.0f ns before and %,.0f ns after", hops.beforeNanos(), hops.afterNanos());
        return switch (hops.regime()) {
            case CHANGED -> List.of("the cores were moved: " + took);
            case DISTURBED -> List.of("somebody else wanted the cores: " + took);
            default -> List.of();
        };
    }

    /**
     * Traffic against the ceiling of the lane. Over a link, a side counts that is across it, and both directions have the
     * link's full speed. Without a link both sides count, and the ceiling is what a contestant delivered: so much went out, and
     * an <em>n</em>th of it came in.
     *
     * @param in null where it is not known
     * @param subscribers who each got what came in
     */
    public static Throughput throughput(
            Traffic in, Traffic out, int subscribers, List<Timeline.Point> timeline, Around around) {
        Ceilings ceilings = around.ceilings();
        boolean link = isLink(ceilings);
        double ingress = fraction(ceilings, in, link && around.places().publishers() != Place.FAR);
        double egress = fraction(ceilings, out, link && around.places().subscribers() != Place.FAR);
        return new Throughput(in, out, link ? ingress : ingress * subscribers, egress, timeline);
    }

    private static boolean isLink(Ceilings ceilings) {
        return ceilings != null && ceilings.source().equals(Ceilings.LINK);
    }

    private static double fraction(Ceilings ceilings, Traffic traffic, boolean besideTheLink) {
        return ceilings == null || traffic == null || besideTheLink ? Double.NaN : ceilings.fraction(traffic);
    }

    /** Judged with what the link could have given, which the run itself does not know. */
    private static Resources resources(RunResult result, Throughput throughput, Around around) {
        Observed observed = result.observed() != null && isLink(around.ceilings())
                ? result.observed().withLink(throughput.ingressFraction(), throughput.egressFraction())
                : result.observed();
        BoundBy bound = observed == null ? null : observed.bound();
        Signals signals = observed == null ? null : observed.signals();
        List<ProcessRecord> processes = result.processes().stream()
                .map(use -> new ProcessRecord(use.name(), use.cpuSeconds(), use.peakResidentBytes(), site(use, around)))
                .toList();
        return new Resources(processes, result.relay(), bound, signals);
    }

    private static String site(ProcessUse process, Around around) {
        boolean far = process.name().startsWith("publisher") && around.places().publishers() == Place.FAR
                || process.name().startsWith("subscriber") && around.places().subscribers() == Place.FAR;
        return far ? around.far() : around.near();
    }
}
