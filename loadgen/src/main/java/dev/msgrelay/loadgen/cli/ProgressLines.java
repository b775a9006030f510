package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.report.ProgressLine;
import dev.msgrelay.loadgen.run.RunObserver;

/** One progress line after the other, for commands of several runs. The command's thread owns it. */
final class ProgressLines {
    private ProgressLine current;

    /** The line of the next run. */
    RunObserver start(String prefix) {
        close();
        current = ProgressLine.onStderr(prefix);
        return current;
    }

    /** Ends the line, so that something else can be printed. */
    void close() {
        if (current != null) {
            current.close();
        }
    }
}
