package dev.msgrelay.trials;

import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.rig.Child;
import dev.msgrelay.loadgen.rig.RunException;
import dev.msgrelay.protocol.Level;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A fault of the disk, as strace has the relay's system calls see it. The relay then ends, or waits; it is started
 * again on the same journal without a fault, and nothing that was acknowledged is missing.
 */
enum DiskFault {
    WRITE_FAILS("a write fails (EIO)", "pwrite64:error=EIO:when=60", true),
    FORCE_FAILS("a force fails (EIO)", "fdatasync:error=EIO:when=10", true),
    NO_SPACE("no space for a while (ENOSPC)", "pwrite64:error=ENOSPC:when=60..80", false),
    SLOW_FORCE("a force takes 5 s", "fdatasync:delay_enter=5000000:when=10", false);

    /** Exit code of a relay whose journal has failed. */
    private static final int JOURNAL_FAILED = 4;

    private static final long TOLD_MILLIS = 120_000;
    private static final long LOOK_MILLIS = 20;
    private static final long ON_MILLIS = 1_000;
    private static final String INJECTED = "(INJECTED)";
    private static final String DELAYED = "(DELAYED)";

    private final String text;
    private final String injection;
    private final boolean ends;

    DiskFault(String text, String injection, boolean ends) {
        this.text = text;
        this.injection = injection;
        this.ends = ends;
    }

    /** Why none of them can be had here; null where they can. */
    static String obstacle() {
        return Subprocess.find("strace").isPresent() ? null : "faults of the disk need strace";
    }

    /**
     * Has it happen.
     *
     * @param directory an empty one
     */
    Report run(Load load, Path directory) throws IOException, RunException, InterruptedException {
        Path trace = directory.resolve("strace.log");
        List<String> findings = new ArrayList<>();
        try (NodeNetwork network = NodeNetwork.onLoopback(1);
                Rig rig = new Rig(load, new Rig.Options(1, false, 0, 0, 0), network, directory)) {
            // -D: strace is not the parent, so that signals and the exit code are the relay's.
            rig.start(List.of(
                    "strace",
                    "-D",
                    "-f",
                    "--seccomp-bpf",
                    "-o",
                    trace.toString(),
                    "-e",
                    "trace=pwrite64,fdatasync,fsync",
                    "-e",
                    "inject=" + injection));
            awaitInjected(trace);
            if (ends) {
                Child relay = rig.node(1).process();
                if (!relay.awaitExit(TOLD_MILLIS)) {
                    findings.add(text + ": the relay did not end within " + TOLD_MILLIS + " ms");
                } else if (relay.exitValue() != JOURNAL_FAILED) {
                    findings.add(
                            text + ": the relay ended with exit code " + relay.exitValue() + ", not " + JOURNAL_FAILED);
                }
                rig.kill(1);
                checkNoForceBehind(trace, findings);
                rig.start(1);
                rig.awaitReady();
            }
            TimeUnit.MILLISECONDS.sleep(ON_MILLIS);
            return new Report(Level.WRITTEN, rig.finish(Level.WRITTEN), List.of(), findings);
        }
    }

    private void awaitInjected(Path trace) throws IOException, RunException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TOLD_MILLIS);
        while (Files.readAllLines(trace).stream().noneMatch(DiskFault::isInjected)) {
            if (System.nanoTime() > end) {
                throw new RunException(text + ": strace did not come to it within " + TOLD_MILLIS + " ms");
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
    }

    private static boolean isInjected(String line) {
        return line.contains(INJECTED) || line.contains(DELAYED);
    }

    /** After a force that failed the kernel takes what it has not written for written: a later force would lie. */
    private void checkNoForceBehind(Path trace, List<String> findings) throws IOException {
        long behind = Files.readAllLines(trace).stream()
                .dropWhile(line -> !isInjected(line))
                .skip(1)
                .filter(line -> line.contains(" fdatasync(") || line.contains(" fsync("))
                .count();
        if (this == FORCE_FAILS && behind > 0) {
            findings.add(text + ": " + behind + " forces came behind it");
        }
    }
}
