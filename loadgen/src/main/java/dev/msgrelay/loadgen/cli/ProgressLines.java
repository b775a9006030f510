package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.experiment.Experiment;
import dev.msgrelay.loadgen.experiment.Interrupts;
import dev.msgrelay.loadgen.experiment.Keeper;
import dev.msgrelay.loadgen.experiment.Listener;
import dev.msgrelay.loadgen.experiment.Meter;
import dev.msgrelay.loadgen.report.ProgressLine;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.RunResult;
import java.io.PrintWriter;

/** One progress line after the other on stderr, for commands of several runs. The command's thread owns it. */
final class ProgressLines implements Listener, AutoCloseable {
    private final PrintWriter err;
    private ProgressLine current;

    /** @param err where notices go */
    ProgressLines(PrintWriter err) {
        this.err = err;
    }

    /**
     * An experiment that is heard of here, on this machine.
     *
     * @param giveUpAfter what fails so often in a row is not measured any more
     */
    Experiment<RunResult> experiment(Interrupts interrupts, int giveUpAfter) {
        return new Experiment<>(Meter.ofThisHost(interrupts), this, Keeper.nothing(this), giveUpAfter);
    }

    @Override
    public void notice(String line) {
        end();
        err.println(line);
        err.flush();
    }

    @Override
    public RunObserver begins(String where) {
        end();
        current = ProgressLine.onStderr(where.isEmpty() ? "" : "[" + where + "] ");
        return current;
    }

    @Override
    public void close() {
        end();
    }

    /** Ends the line, so that something else can be printed. */
    void end() {
        if (current != null) {
            current.close();
        }
    }
}
