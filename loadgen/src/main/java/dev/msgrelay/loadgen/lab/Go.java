package dev.msgrelay.loadgen.lab;

import java.nio.file.Path;

/**
 * What a contestant is given for one go.
 *
 * @param scratch a directory of the experiment's own, for files; removed at the end
 * @param round from 1; 0 for the warm-up
 */
public record Go(Path scratch, int round) {}
