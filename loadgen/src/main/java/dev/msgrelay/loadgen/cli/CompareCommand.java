package dev.msgrelay.loadgen.cli;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.experiment.Figure;
import dev.msgrelay.loadgen.experiment.HodgesLehmann;
import dev.msgrelay.loadgen.experiment.InTurn;
import dev.msgrelay.loadgen.experiment.Interrupts;
import dev.msgrelay.loadgen.experiment.PairedComparison;
import dev.msgrelay.loadgen.experiment.PairedReport;
import dev.msgrelay.loadgen.experiment.SideBySide;
import dev.msgrelay.loadgen.experiment.SideBySide.Sided;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.report.ProgressLine;
import dev.msgrelay.loadgen.result.Results.Side;
import dev.msgrelay.loadgen.rig.RunObserver;
import dev.msgrelay.protocol.cli.ExitCodes;
import dev.msgrelay.protocol.cli.ShortHelp;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code loadgen compare}: runs two relays alternately, and reports whether one is faster. */
@ShortHelp(
        examples = {
            "loadgen compare --a-dir ../before",
            "loadgen compare --b --relay-arg=--reader-loops=1 --minutes 20",
            "loadgen compare --a-dir ../before --rate 50000 --fail-below 0.97"
        },
        options = {
            "The sides: --a --b --a-dir --b-dir",
            "Until when: --within --minutes --fail-below",
            "The load: --publishers --subscribers --rate"
        })
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        customSynopsis = "loadgen compare [--a OPTIONS] [--a-dir DIR] [--b OPTIONS] [--b-dir DIR] ... [OPTIONS OF RUN]",
        description = {
            "Compares two relays in turn.",
            "Runs them in turn, A B B A, each run short, until the 95 %% interval of the ratio of B to A is narrow enough or"
                    + " the time is over. Both have the options of 'run' that are given; they"
                    + " may differ in others, be of two builds, or be any two commands that speak the plain protocol. Ctrl-C ends it with what there is."
                    + " docs/measuring.md has the"
                    + " method."
        })
final class CompareCommand extends PrintingCommand {
    private static final double MIN_WITHIN = 0.1;
    private static final double MAX_WITHIN = 100;
    private static final double MIN_MINUTES = 0.01;
    private static final double MAX_MINUTES = 600;
    private static final double MAX_RATIO = 10;

    /** Warm-up of a new relay, in which its JVM compiles code, and a busy relay starts a second event loop. */
    private static final Duration COLD = Duration.ofSeconds(4);

    private static final Duration PACED_COLD = Duration.ofSeconds(15);

    /** Warm-up of the publisher and subscriber processes, which serve all runs of the comparison. */
    private static final Duration WORKERS = Duration.ofSeconds(10);

    /** Warm-up of a relay that has run before. It is enough to start or stop its second event loop if necessary. */
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

    @Option(names = "--by-cpu", description = "The relay's CPU time for a message decides, not deliveries or latency.")
    private boolean byCpu;

    @Option(
            names = "--fail-below",
            paramLabel = "RATIO",
            description = "Exit 4 where B is beyond doubt slower than this part of A, or where no verdict came.")
    private Double failBelow;

    @Option(
            names = "--pairs",
            paramLabel = "N",
            description = "Pairs that go through the same two relays (1; with --rate 4).")
    private Integer pairs;

    @Mixin
    private CompareSides sides;

    @Override
    public Integer call() throws IOException, InterruptedException {
        isWithin("--within", within, MIN_WITHIN, MAX_WITHIN);
        isWithin("--minutes", minutes, MIN_MINUTES, MAX_MINUTES);
        if (failBelow != null) {
            isWithin("--fail-below", failBelow, 0, MAX_RATIO);
        }
        Map<Side, Sided> both = sides.sides();
        return report(both, compare(both, schedule(both)));
    }

    private SideBySide.Schedule schedule(Map<Side, Sided> both) {
        boolean paced = both.get(Side.A).load().isPaced();
        boolean stay = both.values().stream().allMatch(side -> side.contestant().stays());
        int ofRound = pairs == null ? paced && stay ? PACED_PAIRS : 1 : pairs;
        within("--pairs", ofRound, 1, MAX_PAIRS);
        refuse(!stay && ofRound > 1, "--pairs " + ofRound + ": the plain relay ends with a run");
        Duration warmup = ofRound > 1 ? WARM : paced ? PACED_COLD : COLD;
        Timing each = sides.load().timing(warmup, paced ? PACED_DURATION : DURATION);
        Timing workers = sides.load().timing(WORKERS, DURATION);
        Duration cold = sides.load().timing(COLD, DURATION).warmup();
        return new SideBySide.Schedule(workers, new Timing(cold, Duration.ofMillis(100)), each, ofRound);
    }

    private PairedComparison compare(Map<Side, Sided> both, SideBySide.Schedule schedule) throws InterruptedException {
        try (Interrupts interrupts = new Interrupts();
                ProgressLine line = new ProgressLine(err());
                SideBySide relays = new SideBySide(both, schedule)) {
            WithinRuns progress = new WithinRuns(line);
            long limitNanos = (long) (minutes * TimeUnit.MINUTES.toNanos(1));
            double needed = Math.ceil(schedule.least(relays.plans()).toSeconds() / 60.0);
            if (minutes < needed) {
                line.notice(format(
                        "no verdict will come of --minutes %s: an interval needs %d rounds, about %.0f minutes",
                        Unit.PLAIN.ascii(minutes), HodgesLehmann.MIN_PAIRS, needed));
            }
            return new InTurn(experiment(interrupts, progress, 2), figures(both), schedule.pairs(), within)
                    .compare(relays.plans(), limitNanos, progress::pair);
        }
    }

    private List<Figure> figures(Map<Side, Sided> both) {
        boolean acks = both.values().stream()
                .allMatch(side -> side.load().clients().acks().isAsked());
        List<Figure> figures = Figure.of(both.get(Side.A).load().isPaced(), acks);
        if (byCpu) {
            figures.remove(Figure.RELAY_CPU);
            figures.add(0, Figure.RELAY_CPU);
        }
        return figures;
    }

    private record WithinRuns(ProgressLine line) implements RunObserver {
        @Override
        public void phase(String what) {
            line.phase(what);
        }

        void pair(PairedComparison known) {
            line.clear();
            System.err.println(PairedReport.progress(known));
        }
    }

    private int report(Map<Side, Sided> both, PairedComparison comparison) throws IOException, InterruptedException {
        Map<Side, String> titles = new EnumMap<>(Side.class);
        both.forEach((side, one) -> titles.put(side, one.title()));
        PairedReport report = new PairedReport(titles, comparison);
        if (json) {
            print(report.results(nothingYet()));
        } else {
            print(report.table());
        }
        if (comparison.ended() == PairedComparison.Ended.INTERRUPTED) {
            throw new InterruptedException();
        }
        boolean known = comparison.headline().ratio().isKnown();
        boolean slower = failBelow != null && (!known || comparison.isBelow(failBelow));
        return switch (comparison.ended()) {
            case FAILED -> ExitCodes.FAILED;
            case WRONG -> ExitCodes.NOT_WHOLE;
            default -> slower ? ExitCodes.MISSED : ExitCodes.DONE;
        };
    }

    private void isWithin(String option, double value, double min, double max) {
        refuse(!(value >= min && value <= max), option + " " + value + " is not within " + min + ".." + max);
    }
}
