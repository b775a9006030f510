package dev.msgrelay.loadgen.host;

import dev.msgrelay.server.host.SystemTree;
import java.util.Locale;

/**
 * The facts about a machine that affect measured figures.
 *
 * @param coreHopNanos time from one core to another, see {@link CoreHop}; NaN if it was not measured, or if another
 *     program disturbed the measurement
 */
public record Machine(int cores, String cpu, String jdk, String kernel, String congestionControl, double coreHopNanos) {
    /** Holds the time of a hop, which is measured when this class is first used. */
    private static final class Hop {
        static final double NANOS = measured();

        private static double measured() {
            try {
                return Runtime.getRuntime().availableProcessors() < 2 ? Double.NaN : CoreHop.measureNanos();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return Double.NaN;
            }
        }
    }

    public static Machine here() {
        SystemTree proc = SystemTree.proc();
        return new Machine(
                Runtime.getRuntime().availableProcessors(),
                proc.field("cpuinfo", "model name").orElse(System.getProperty("os.arch")),
                System.getProperty("java.vm.name") + " " + Runtime.version(),
                System.getProperty("os.name") + " " + System.getProperty("os.version"),
                proc.text("sys/net/ipv4/tcp_congestion_control").orElse("unknown"),
                CoreHop.isUndisturbed(hopNanos()) ? hopNanos() : Double.NaN);
    }

    static double hopNanos() {
        return Hop.NANOS;
    }

    @Override
    public String toString() {
        return cores + " cores (" + cpu + "), " + jdk + ", " + kernel + ", TCP congestion control " + congestionControl
                + (Double.isNaN(coreHopNanos)
                        ? ""
                        : String.format(Locale.ROOT, ", core-to-core hop %.0f ns", coreHopNanos));
    }
}
