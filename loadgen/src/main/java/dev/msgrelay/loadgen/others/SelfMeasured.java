package dev.msgrelay.loadgen.others;

import dev.msgrelay.loadgen.experiment.LoadCell;
import dev.msgrelay.loadgen.host.ProcessFigures;
import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.host.Tool;
import dev.msgrelay.loadgen.run.Child;
import dev.msgrelay.loadgen.run.Children;
import dev.msgrelay.loadgen.run.Contestant;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.ProcessUse;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.run.Traffic;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

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
    public abstract String obstacle();

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

    private RunResult run(LoadCell cell, RunObserver observer) throws IOException, RunException, InterruptedException {
        try (Children children = new Children()) {
            observer.phase("starting " + name());
            Started started = start(children, cell.load());
            Child server = started.process();
            long cpu = server == null ? 0 : server.cpuNanos();
            observer.phase("measuring");
            Traffic said = measure(directory(children), started, cell.load(), cell.timing());
            long used = server == null ? ProcessFigures.UNKNOWN : server.cpuNanos() - cpu;
            long peak = server == null ? ProcessFigures.UNKNOWN : server.peakResidentBytes();
            ProcessUse process = ProcessUse.of(name(), used, peak, ProcessUse.HERE);
            return RunResult.told(name(), cell.load(), cell.timing(), said, List.of(process), List.of());
        }
    }

    /** The same for all who ask in a run. */
    final Path directory(Children children) throws IOException {
        return children.directory(disk);
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
    static String missing(String how, String... programs) {
        return Stream.of(programs)
                .filter(program -> Subprocess.find(program).isEmpty())
                .findFirst()
                .map(program -> program + " is not on the path: " + how)
                .orElse("");
    }
}
