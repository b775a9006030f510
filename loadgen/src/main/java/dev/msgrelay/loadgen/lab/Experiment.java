package dev.msgrelay.loadgen.lab;

import java.io.IOException;
import java.util.List;

/** One article's experiment, with its options set. */
public interface Experiment {
    /** As on the command line. */
    String name();

    /** What it asks, in a line. */
    String question();

    Article article();

    /** What must be there before it starts. */
    Needs needs(LabOptions options);

    /** What was left out on this machine, and why; asked after {@link #tables}. */
    default List<String> remarks() {
        return List.of();
    }

    /** What is to be measured, in order. Starts nothing yet. */
    List<LabTable> tables(LabOptions options) throws IOException, InterruptedException;

    /** Ends what the goes share, such as a process that sends to all of them; called once after the last one. */
    default void end() {}
}
