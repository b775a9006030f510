package dev.msgrelay.testing;

import java.io.IOException;

/**
 * Signals that a process may have been started without: a signal that is ignored stays ignored in all children, as with
 * nohup.
 */
public final class Signals {
    private Signals() {}

    /** Whether this process and its children ignore the signal: then a shell survives its own. */
    public static boolean isIgnored(String name) throws IOException, InterruptedException {
        return TestProcess.run("sh", "-c", "kill -" + name + " $$").exitCode() == 0;
    }

    /** Skips the test if the signal is ignored, and prints the reason. */
    public static void assumeHeard(String name) throws IOException, InterruptedException {
        ThisMachine.need(!isIgnored(name), "this process ignores SIG" + name);
    }
}
