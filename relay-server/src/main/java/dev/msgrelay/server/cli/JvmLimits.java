package dev.msgrelay.server.cli;

import dev.msgrelay.server.MemoryPlan;
import dev.msgrelay.server.config.RelayConfig;
import java.util.List;
import picocli.CommandLine.PicocliException;

/**
 * Prints the limits that the JVM needs to run {@code relay-server} with some arguments: what the start script asks before it
 * starts the relay with them.
 *
 * <pre>
 *   -Xmx = young generation + all that may live for long       -Xms = young generation + what does by default
 * </pre>
 */
public final class JvmLimits {
    /** So large that a run of 30 s at full speed has no collection. */
    private static final int YOUNG_MEBIBYTES = 128;

    /** Touched at the start, with the young generation. A relay with few clients needs a fraction of it. */
    private static final int OLD_AT_START_MEBIBYTES = 16;

    private JvmLimits() {}

    public static void main(String[] args) {
        System.out.println(String.join(" ", of(args)));
    }

    /**
     * The flags.
     *
     * @param args of relay-server; where they are wrong, the flags are those for none: the relay itself will tell
     */
    public static List<String> of(String... args) {
        MemoryPlan plan = MemoryPlan.of(config(args));
        return List.of(
                "-Xms" + (YOUNG_MEBIBYTES + OLD_AT_START_MEBIBYTES) + "m",
                "-Xmx" + (YOUNG_MEBIBYTES + Math.max(OLD_AT_START_MEBIBYTES, MemoryPlan.mebibytes(plan.heap()))) + "m",
                "-Xmn" + YOUNG_MEBIBYTES + "m",
                "-XX:MaxDirectMemorySize=" + MemoryPlan.mebibytes(plan.direct()) + "m");
    }

    private static RelayConfig config(String... args) {
        try {
            return RelayServerMain.config(args);
        } catch (PicocliException | IllegalArgumentException wrong) {
            return RelayConfig.builder().build();
        }
    }
}
