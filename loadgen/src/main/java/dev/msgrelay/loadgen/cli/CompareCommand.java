package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.compare.Figure;
import dev.msgrelay.loadgen.compare.InTurn;
import dev.msgrelay.loadgen.compare.PairedComparison;
import dev.msgrelay.loadgen.compare.PairedReport;
import dev.msgrelay.loadgen.compare.SideBySide;
import dev.msgrelay.loadgen.experiment.Experiment;
import dev.msgrelay.loadgen.experiment.Interrupts;
import dev.msgrelay.loadgen.experiment.Keeper;
import dev.msgrelay.loadgen.experiment.Listener;
import dev.msgrelay.loadgen.experiment.Meter;
import dev.msgrelay.loadgen.report.ProgressLine;
import dev.msgrelay.loadgen.result.Results.Side;
import dev.msgrelay.loadgen.run.Contestant;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.protocol.Policy;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code loadgen compare}: is b faster than a, or is that noise? It runs both in turn. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        customSynopsis =
                "loadgen compare [--a OPTIONS] [--a-dir DIR] [--a-tls] [--b OPTIONS] [--b-dir DIR] [--b-tls] ... [LOAD]",
        description = {
            "Compares two relays in turn.",
            "Runs them in turn, A B B A, each run short, until the 95 %% interval of the ratio of B to A is narrow enough or"
                    + " the time is over. LOAD are options of 'loadgen run'. They may differ in their options, be of two"
                    + " builds, or be any two commands that speak the plain protocol. Ctrl-C ends it with what there is."
                    + " Exits 1 when a relay ended or lost a message, and as --fail-below says. docs/measuring.md has the"
                    + " method."
        })
final class CompareCommand extends Told {
    private static final double MIN_WITHIN = 0.1;
    private static final double MAX_WITHIN = 100;
    private static final double MIN_MINUTES = 0.01;
    private static final double MAX_MINUTES = 600;
    private static final double MAX_RATIO = 10;

    /** Warm-up of a relay that has just been started: it compiles its code, and takes a second loop where it is busy. */
    private static final Duration COLD = Duration.ofSeconds(4);

    private static final Duration PACED_COLD = Duration.ofSeconds(15);

    /** Warm-up of one that is warm: it takes the second loop again, or gives it back. */
    private static final Duration WARM = Duration.ofSeconds(2);

    private static final Duration DURATION = Duration.ofSeconds(2);
    private static final Duration PACED_DURATION = Duration.ofSeconds(3);
    private static final int PACED_PAIRS = 4;
    private static final int MAX_PAIRS = 100;

    @Option(names = "--json", description = "Print JSON instead of a table.")
    private boolean json;

    @Option(
            names = "--within",
            paramLabel = "PERCENT",
            defaultValue = "5",
            description = "Ends when the interval is not wider than this (${DEFAULT-VALUE}).")
    private double within;

    @Option(
            names = "--minutes",
            paramLabel = "M",
            defaultValue = "12",
            description = "Ends after so long in any case (${DEFAULT-VALUE}).")
    private double minutes;

    @Option(
            names = "--by-cpu",
            description = "What a message costs the relay's process in CPU time stands first and decides, and"
                    + " not how many are delivered, or how late.")
    private boolean byCpu;

    @Option(
            names = "--fail-below",
            paramLabel = "RATIO",
            description = "Exits 1 when the whole interval of B's speed to A's (of the first line; for a latency"
                    + " and CPU time A's to B's) lies below this, when B stands still or misses its schedule more often"
                    + " than A, and when there were too few rounds for an interval.")
    private Double failBelow;

    @Option(
            names = "--pairs",
            paramLabel = "N",
            description = "Pairs of a round. Of one, each run has a relay of its own; of more, two relays stay for"
                    + " the round (1; with --rate 4: a relay that has little to do needs long to become warm).")
    private Integer pairs;

    @Mixin
    private ContestantOptions contestants;

    @Mixin
    private LoadOptions load;

    @Override
    public Integer call() throws IOException, InterruptedException {
        refuse(!contestants.areGiven(), "what with? give --a, --b, --a-dir, --b-dir or the like");
        isWithin("--within", within, MIN_WITHIN, MAX_WITHIN);
        isWithin("--minutes", minutes, MIN_MINUTES, MAX_MINUTES);
        if (failBelow != null) {
            isWithin("--fail-below", failBelow, 0, MAX_RATIO);
        }
        refuse(load.lane().isEmulated(), "--lane " + load.lane() + " is none of loopback, unix");
        Load given = load.load(Policy.BACKPRESSURE);
        Map<Side, Load> loads = contestants.loads(given);
        Map<Side, Contestant> both = contestants.contestants(loads);
        return report(compare(both, loads, schedule(given.rate() > 0)));
    }

    private SideBySide.Schedule schedule(boolean paced) {
        String endsWithARun = contestants.endsWithARun();
        int ofRound = pairs == null ? paced && endsWithARun == null ? PACED_PAIRS : 1 : pairs;
        within("--pairs", ofRound, 1, MAX_PAIRS);
        refuse(
                endsWithARun != null && ofRound > 1,
                "--pairs " + ofRound + " and " + endsWithARun + " exclude each other: that ends with a run");
        Duration warmup = ofRound > 1 ? WARM : paced ? PACED_COLD : COLD;
        Timing each = load.timing(warmup, paced ? PACED_DURATION : DURATION);
        Duration cold = load.timing(COLD, DURATION).warmup();
        return new SideBySide.Schedule(new Timing(cold, Duration.ofMillis(100)), each, ofRound);
    }

    private PairedComparison compare(Map<Side, Contestant> both, Map<Side, Load> loads, SideBySide.Schedule schedule)
            throws InterruptedException {
        try (Interrupts interrupts = Interrupts.watch();
                ProgressLine line = ProgressLine.onStderr(err());
                SideBySide relays = new SideBySide(both, loads, schedule)) {
            WithinRuns progress = new WithinRuns(line);
            Experiment<RunResult> experiment =
                    new Experiment<>(Meter.ofThisHost(interrupts), progress, Keeper.nothing(progress), 2);
            long limitNanos = (long) (minutes * TimeUnit.MINUTES.toNanos(1));
            return new InTurn(experiment, figures(loads), schedule.pairs(), within)
                    .compare(relays.cells(), limitNanos, progress::pair);
        }
    }

    /** Both loads have one pace. The first one decides. */
    private List<Figure> figures(Map<Side, Load> loads) {
        boolean acks =
                loads.values().stream().allMatch(load -> load.clients().acks().isAsked());
        List<Figure> figures = Figure.of(loads.get(Side.A).rate() > 0, acks);
        if (byCpu) {
            figures.remove(Figure.RELAY_CPU);
            figures.add(0, Figure.RELAY_CPU);
        }
        return figures;
    }

    /** A line for each pair. What goes on within a run is for somebody who watches; the report says what went wrong. */
    private record WithinRuns(ProgressLine line) implements Listener, RunObserver {
        @Override
        public void notice(String text) {}

        @Override
        public RunObserver begins(String where) {
            return this;
        }

        @Override
        public void phase(String what) {
            line.phase(what);
        }

        void pair(PairedComparison known) {
            line.end();
            System.err.println(PairedReport.progress(known));
        }
    }

    private int report(PairedComparison comparison) throws IOException, InterruptedException {
        PairedReport report = new PairedReport(contestants.titles(), comparison);
        if (json) {
            print(report.results(origin()));
        } else {
            print(report.table());
        }
        if (comparison.ended() == PairedComparison.Ended.INTERRUPTED) {
            throw new InterruptedException();
        }
        boolean known = comparison.headline().ratio().isKnown();
        boolean slower = failBelow != null && (!known || comparison.isBelow(failBelow) || comparison.isOftenerB());
        return slower || !comparison.failures().isEmpty() ? 1 : 0;
    }

    private void isWithin(String option, double value, double min, double max) {
        refuse(!(value >= min && value <= max), option + " " + value + " is not within " + min + ".." + max);
    }
}
