package dev.msgrelay.loadgen.result;

import dev.msgrelay.loadgen.result.Correctness.Schedule;
import dev.msgrelay.loadgen.result.Correctness.SubscriberRecord;
import dev.msgrelay.loadgen.result.Resources.BoundBy;
import dev.msgrelay.loadgen.result.Resources.ProcessRecord;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Traffic;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Turns what the rig measured into a record of a run. */
public final class RunRecords {
    private RunRecords() {}

    /**
     * What a run is set against and looked at beside its own figures.
     *
     * @param places who is across the link
     * @param ceilings null where none is known
     * @param skew null when not recorded
     * @param boundBy null when not looked at
     */
    public record Around(
            Places places,
            Ceilings ceilings,
            List<TimelinePoint> timeline,
            Histogram skew,
            BoundBy boundBy,
            String site) {}

    /**
     * A whole run.
     *
     * @param failures what makes it invalid; empty for a valid run
     */
    public static RunRecord of(
            int round, String started, RunResult result, Hops hops, Around around, List<String> failures) {
        Load load = result.load();
        Traffic published = result.published().traffic();
        Flow in = result.published().total() > 0 ? flow(published) : null;
        Flow out = flow(result.received().traffic());
        return new RunRecord(
                new Moment(
                        round,
                        started,
                        result.timing().warmup().toNanos(),
                        result.timing().measured().toNanos()),
                hops,
                throughput(in, out, load.subscribers(), around),
                new Delays(load.verify() ? result.received().latency() : null, around.skew(), load.sampling()),
                correctness(result),
                new Resources(processes(result, around.site()), around.boundBy()),
                new Outcome(failures, marks(hops.regime()), false));
    }

    /** What a reader has to know of the machine. */
    public static List<String> marks(Regime regime) {
        return switch (regime) {
            case CHANGED -> List.of("regime changed");
            case DISTURBED -> List.of("disturbed");
            default -> List.of();
        };
    }

    /**
     * Traffic against the ceiling of the lane. Over a link, a side counts that is across it, and both directions have the
     * link's full speed. Without a link both sides count, and the ceiling is what a middle delivered: so much went out, and
     * an <em>n</em>th of it came in.
     *
     * @param in null where it is not known
     * @param subscribers who each got what came in
     */
    public static Throughput throughput(Flow in, Flow out, int subscribers, Around around) {
        Ceilings ceilings = around.ceilings();
        boolean link = ceilings != null && ceilings.source().equals(Ceilings.LINK);
        double ingress = fraction(ceilings, in, link && around.places().publishers() != Places.Place.FAR);
        double egress = fraction(ceilings, out, link && around.places().subscribers() != Places.Place.FAR);
        return new Throughput(in, out, link ? ingress : ingress * subscribers, egress, around.timeline());
    }

    private static double fraction(Ceilings ceilings, Flow flow, boolean besideTheLink) {
        return ceilings == null || flow == null || besideTheLink ? Double.NaN : ceilings.fraction(flow);
    }

    private static Correctness correctness(RunResult result) {
        List<SubscriberRecord> subscribers = result.received().subscribers().stream()
                .map(one -> new SubscriberRecord(
                        one.index(),
                        one.messages(),
                        one.lost(),
                        one.tail(),
                        one.duplicated(),
                        one.reordered(),
                        one.corrupted(),
                        one.closed()))
                .toList();
        Schedule schedule = result.load().rate() == 0
                ? Schedule.NONE
                : new Schedule(
                        result.published().punctuality().scheduled(),
                        result.published().punctuality().late(),
                        result.published().punctuality().worstNanos(),
                        result.published().punctuality().means().text());
        return new Correctness(result.load().verify(), subscribers, schedule);
    }

    private static List<ProcessRecord> processes(RunResult result, String site) {
        List<ProcessRecord> records = new ArrayList<>();
        result.processes()
                .forEach(use ->
                        records.add(new ProcessRecord(use.name(), use.cpuSeconds(), use.peakResidentBytes(), site)));
        return records;
    }

    private static Flow flow(Traffic traffic) {
        return new Flow(traffic.messages(), traffic.bytes(), traffic.nanos());
    }
}
