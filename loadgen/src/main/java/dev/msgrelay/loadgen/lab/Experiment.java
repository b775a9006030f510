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

    /** What is to be measured, in order. Starts nothing yet. */
    List<LabTable> tables(LabOptions options) throws IOException;
}
