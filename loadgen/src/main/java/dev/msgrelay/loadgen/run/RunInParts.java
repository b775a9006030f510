package dev.msgrelay.loadgen.run;

import dev.msgrelay.loadgen.measure.CoreHop;
import dev.msgrelay.loadgen.worker.Window;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/**
 * What {@code run} does: one relay, and one set of publishers and subscribers, that stay for several loads. The later ones
 * follow from what the first one found. The controller's thread owns it.
 *
 * <pre>
 *  start the relay -&gt; hop -&gt; full speed -&gt; hop -&gt; 80 % of that, open loop -&gt; hop [-&gt; the same in real time -&gt; hop] -&gt; stop
 * </pre>
 */
public final class RunInParts {
    private final Contestant contestant;
    private final BiFunction<Double, Double, List<String>> cores;
    private final RunObserver observer;
    private final List<Part> finished = new ArrayList<>();
    private LoadRun current;

    /** One part: what is sent, and for how long. */
    public record Plan(Load load, Timing timing) {}

    /** What comes after these parts, or null: nothing more. */
    @FunctionalInterface
    public interface Next {
        Plan after(List<RunResult> done);
    }

    /**
     * @param cores what is to be said of a hop before and one after a part
     */
    public RunInParts(Contestant contestant, BiFunction<Double, Double, List<String>> cores, RunObserver observer) {
        this.contestant = contestant;
        this.cores = cores;
        this.observer = observer;
    }

    /**
     * Does them all.
     *
     * @throws RunException one could not be brought to its end; no child is left behind
     */
    public List<Part> run(Plan first, Next next) throws IOException, RunException, InterruptedException {
        if (!contestant.stays()) {
            double before = CoreHop.measureNanos();
            String begun = Instant.now().toString();
            current = new LoadRun(contestant, first.load(), first.timing(), observer);
            RunResult result = current.run();
            return List.of(part(begun, result, before, CoreHop.measureNanos()));
        }
        try (Children relay = new Children();
                Children workers = Children.staying()) {
            try {
                return run(relay, workers, first, next);
            } catch (InterruptedException e) {
                // Whoever is asked to end has results to print, and a child that hangs does not answer.
                workers.abandon();
                relay.abandon();
                throw e;
            }
        }
    }

    private List<Part> run(Children relay, Children workers, Plan first, Next next)
            throws IOException, RunException, InterruptedException {
        observer.phase("starting " + contestant.name());
        Contestant.Started started = contestant.start(relay, first.load());
        List<Window> windows = new ArrayList<>();
        double hop = CoreHop.measureNanos();
        for (Plan plan = first; plan != null; plan = next.after(results())) {
            current = new LoadRun(contestant, plan.load(), plan.timing(), observer);
            String begun = Instant.now().toString();
            RunResult result = current.through(started, workers);
            double before = hop;
            hop = CoreHop.measureNanos();
            finished.add(part(begun, result, before, hop));
            windows.add(current.window());
        }
        if (started.process() == null) {
            return finished();
        }
        LoadRun.end(started.process());
        for (int i = 0; i < windows.size(); i++) {
            Part one = finished.get(i);
            RelayFigures figures = RelayFigures.of(started.process(), windows.get(i));
            finished.set(i, part(one.started(), one.result().withRelay(figures), one.hopBefore(), one.hopAfter()));
        }
        return finished();
    }

    private List<RunResult> results() {
        return finished.stream().map(Part::result).toList();
    }

    private Part part(String begun, RunResult result, double before, double after) {
        return new Part(begun, result, before, after, Verdict.Judgement.of(result, cores.apply(before, after)));
    }

    /** Those that came to their end; what there is after an interrupt. */
    public List<Part> finished() {
        return List.copyOf(finished);
    }

    /** The last thing that could be seen, or null; what is left to tell of a part after an interrupt. */
    public Live lastLive() {
        return current == null ? null : current.lastLive();
    }

    /**
     * One part of what {@code run} does: at full speed, or at a rate.
     *
     * @param started ISO 8601, in UTC
     * @param hopBefore nanoseconds from core to core right before it; NaN where there is one core
     * @param hopAfter right after it
     */
    public record Part(
            String started, RunResult result, double hopBefore, double hopAfter, Verdict.Judgement judgement) {
        /** Whether messages had their times: what was measured is latency, else speed. */
        public boolean isPaced() {
            return result.load().rate() > 0;
        }
    }
}
