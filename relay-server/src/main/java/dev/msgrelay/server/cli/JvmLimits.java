package dev.msgrelay.server.cli;

import dev.msgrelay.server.assembly.MachineLimits;
import dev.msgrelay.server.assembly.MemoryPlan;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.host.MemoryLimit;
import dev.msgrelay.server.host.SystemTree;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.PicocliException;

/**
 * Prints the flags of the JVM for {@code relay-server} with the given arguments. The start script runs it before the
 * relay.
 *
 * <pre>
 *   -Xmx = young generation + old generation at most       -Xms = young generation + old generation by default
 * </pre>
 */
public final class JvmLimits {
    /** Size of the young generation. A relay that runs for 30 s at full speed needs no collection of it. */
    private static final int YOUNG_MEBIBYTES = 128;

    /** Size of the old generation at the start, when all of it is touched. A relay with few clients needs less. */
    private static final int OLD_AT_START_MEBIBYTES = 16;

    private JvmLimits() {}

    public static void main(String[] args) {
        System.out.println(String.join(" ", here(SystemTree.ofThisHost(), args)));
    }

    /**
     * The JVM's flags on a machine. If the machine has too little memory for the relay, the JVM must not touch its
     * heap. Otherwise the system would kill the JVM before the relay can report the lack of memory.
     */
    static List<String> here(SystemTree system, String... args) {
        RelayConfig config = config(args);
        List<String> flags = new ArrayList<>(of(config));
        MachineLimits machine = new MachineLimits(
                MemoryLimit.lowest(system), (long) (YOUNG_MEBIBYTES + OLD_AT_START_MEBIBYTES) << 20, 0);
        if (!machine.holds(config)) {
            flags.add("-XX:-AlwaysPreTouch");
        }
        return flags;
    }

    /** The JVM's flags. Wrong arguments count as none here, because the relay itself will report the error. */
    public static List<String> of(String... args) {
        return of(config(args));
    }

    private static List<String> of(RelayConfig config) {
        MemoryPlan plan = MemoryPlan.of(config);
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
