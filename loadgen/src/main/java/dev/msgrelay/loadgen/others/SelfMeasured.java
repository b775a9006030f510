package dev.msgrelay.loadgen.others;

import dev.msgrelay.loadgen.bound.Classifier;
import dev.msgrelay.loadgen.bound.Sampled;
import dev.msgrelay.loadgen.bound.Signals;
import dev.msgrelay.loadgen.bound.Signals.LinkShare;
import dev.msgrelay.loadgen.bound.Signals.Rates;
import dev.msgrelay.loadgen.bound.Signals.Standstills;
import dev.msgrelay.loadgen.experiment.LoadCell;
import dev.msgrelay.loadgen.experiment.Measured;
import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.host.Tool;
import dev.msgrelay.loadgen.load.Arrivals;
import dev.msgrelay.loadgen.measure.ProcessFigures;
import dev.msgrelay.loadgen.run.Child;
import dev.msgrelay.loadgen.run.Children;
import dev.msgrelay.loadgen.run.Contestant;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.Observed;
import dev.msgrelay.loadgen.run.ProcessUse;
import dev.msgrelay.loadgen.run.Published;
import dev.msgrelay.loadgen.run.Punctuality;
import dev.msgrelay.loadgen.run.Received;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Timeline;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.run.Traffic;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * A contestant with clients of its own, which measures itself: what it says is believed, and nothing of it is checked. Its
 * files lie in a directory that goes with the run.
 */
public abstract class SelfMeasured implements Contestant {
    /** Far beyond what the time that was asked for takes. */
    private static final long LIMIT_MILLIS = TimeUnit.MINUTES.toMillis(3);

    private final Path disk;

    /**
     * @param disk its files lie in a directory in there; null: where temporary files go
     */
    SelfMeasured(Path disk) {
        this.disk = disk;
    }

    /** What is missing here, and how it is had; empty: nothing. */
    public abstract String obstacle() throws InterruptedException;

    /**
     * Loads it, for about as long as the timing says.
     *
     * @return what it says of itself
     */
    abstract Traffic measure(Path directory, Started started, Load load, Timing timing)
            throws IOException, RunException, InterruptedException;

    /** Measured in turn with others. */
    public LoadCell cell(String name, Load load, Timing timing) {
        return LoadCell.here(name, this, load, timing, this::run);
    }

    private Measured<RunResult> run(LoadCell cell, RunObserver observer)
            throws IOException, RunException, InterruptedException {
        try (Children children = new Children()) {
            observer.phase("starting " + name());
            Started started = start(children, cell.load());
            Child server = started.process();
            long cpu = server == null ? 0 : server.cpuNanos();
            observer.phase("measuring");
            Traffic said = measure(directory(children), started, cell.load(), cell.timing());
            List<ProcessUse> used = server == null
                    ? List.of(new ProcessUse(name(), ProcessFigures.UNKNOWN, ProcessFigures.UNKNOWN))
                    : List.of(new ProcessUse(name(), server.cpuNanos() - cpu, server.peakResidentBytes()));
            return new Measured<>(result(cell, said, used), List.of(), List.of());
        }
    }

    /** The same for all who ask in a run. */
    final Path directory(Children children) throws IOException {
        return children.directory(disk);
    }

    private RunResult result(LoadCell cell, Traffic said, List<ProcessUse> used) {
        double rate = said.messagesPerSecond();
        Signals signals = new Signals(
                new Rates(0, rate, rate, 0, said.nanos() / 1e9),
                Sampled.NOTHING,
                null,
                LinkShare.UNKNOWN,
                Standstills.NONE);
        return new RunResult(
                name(),
                cell.load(),
                cell.timing(),
                new Published(said, said.messages(), Punctuality.NONE),
                new Received(said, List.of(), List.of(), new Histogram(3), 0, Arrivals.Skew.NONE, Double.NaN),
                used,
                null,
                new Observed(signals, Classifier.classify(signals), new Timeline(List.of())));
    }

    /**
     * What a command says.
     *
     * @throws RunException it failed; with what it said last
     */
    static String output(List<String> command) throws IOException, RunException, InterruptedException {
        Tool.Outcome outcome = new Subprocess(LIMIT_MILLIS).run(command);
        if (!outcome.succeeded()) {
            String said = outcome.output();
            throw new RunException(command.get(0) + " failed: " + said.substring(said.lastIndexOf('\n') + 1));
        }
        return outcome.output();
    }

    /** Which of these programs are not there, as {@link #obstacle} says it. */
    static String missing(String how, String... programs) throws InterruptedException {
        for (String program : programs) {
            try {
                if (!new Subprocess()
                        .run(List.of("sh", "-c", "command -v " + program))
                        .succeeded()) {
                    return program + " is not on the path: " + how;
                }
            } catch (IOException e) {
                return program + ": " + e.getMessage();
            }
        }
        return "";
    }
}
