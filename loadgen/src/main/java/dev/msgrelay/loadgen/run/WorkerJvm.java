package dev.msgrelay.loadgen.run;

import java.util.ArrayList;
import java.util.List;

/**
 * The JVM of a worker. It needs little heap; a fixed small one keeps the collector out of the figures.
 *
 * @param moreMegabytes of heap, on top of the usual ones; not touched before they are needed
 * @param light whether it has so little to do that the first compiler's code is fast enough: the second one takes a core for
 *     many milliseconds at a time, for half a minute, and on a machine of few cores a schedule waits for it
 */
record WorkerJvm(int moreMegabytes, boolean light) {
    static final WorkerJvm USUAL = new WorkerJvm(0, false);

    private static final int HEAP_MEGABYTES = 64;

    private static final List<String> OPTIONS = List.of(
            "-XX:+UseSerialGC",
            "-Xms" + HEAP_MEGABYTES + "m",
            "-XX:MaxDirectMemorySize=512m",
            "-Xshare:auto",
            "-XX:-UsePerfData");

    List<String> options() {
        List<String> options = new ArrayList<>(OPTIONS);
        options.add("-Xmx" + (HEAP_MEGABYTES + moreMegabytes) + "m");
        if (light) {
            options.add("-XX:TieredStopAtLevel=1");
        }
        return options;
    }
}
