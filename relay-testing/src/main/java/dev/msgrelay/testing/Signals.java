package dev.msgrelay.testing;

import java.io.IOException;
import org.junit.jupiter.api.Assumptions;

/** Signals that processes may have been started without: what is ignored stays so in all children, as nohup wants it. */
public final class Signals {
    private Signals() {}

    /** Whether this process and its children ignore it: a shell survives its own then. */
    public static boolean isIgnored(String name) throws IOException, InterruptedException {
        return new ProcessBuilder("sh", "-c", "kill -" + name + " $$").start().waitFor() == 0;
    }

    /** Skips the test where it is ignored, and prints why. */
    public static void assumeHeard(String name) throws IOException, InterruptedException {
        String reason = "this process ignores SIG" + name;
        boolean ignored = isIgnored(name);
        if (ignored) {
            System.out.println("skipped: " + reason);
        }
        Assumptions.assumeFalse(ignored, reason);
    }
}
