package dev.msgrelay.loadgen.host;

/**
 * The machine that a figure was taken on, as far as it matters.
 *
 * @param cpu the model's name
 * @param congestionControl TCP's, of this host
 */
public record Machine(int cores, String cpu, String jdk, String kernel, String congestionControl) {
    public static Machine here() {
        SystemTree proc = SystemTree.proc();
        return new Machine(
                Runtime.getRuntime().availableProcessors(),
                proc.field("cpuinfo", "model name").orElse(System.getProperty("os.arch")),
                System.getProperty("java.vm.name") + " " + Runtime.version(),
                System.getProperty("os.name") + " " + System.getProperty("os.version"),
                proc.text("sys/net/ipv4/tcp_congestion_control").orElse("unknown"));
    }

    @Override
    public String toString() {
        return cores + " cores (" + cpu + "), " + jdk + ", " + kernel + ", TCP congestion control " + congestionControl;
    }
}
