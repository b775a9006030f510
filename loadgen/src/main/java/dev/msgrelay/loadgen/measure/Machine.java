package dev.msgrelay.loadgen.measure;

import com.grack.nanojson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The machine that a figure was taken on, as far as it matters.
 *
 * @param cpu the model's name
 * @param congestionControl TCP's, of this host
 */
public record Machine(int cores, String cpu, String jdk, String kernel, String congestionControl) {
    private static final String UNKNOWN = "unknown";

    /** This machine. */
    public static Machine here() {
        return new Machine(
                Runtime.getRuntime().availableProcessors(),
                cpuModel(),
                System.getProperty("java.vm.name") + " " + Runtime.version(),
                System.getProperty("os.name") + " " + System.getProperty("os.version"),
                firstLine("/proc/sys/net/ipv4/tcp_congestion_control"));
    }

    /** From what {@link #toJson} gave, on whatever machine; what is missing is unknown. */
    public static Machine of(JsonObject json) {
        return new Machine(
                json.getInt("cores", 0),
                json.getString("cpu", UNKNOWN),
                json.getString("jdk", UNKNOWN),
                json.getString("kernel", UNKNOWN),
                json.getString("congestionControl", UNKNOWN));
    }

    public JsonObject toJson() {
        JsonObject json = new JsonObject();
        json.put("cores", cores);
        json.put("cpu", cpu);
        json.put("jdk", jdk);
        json.put("kernel", kernel);
        json.put("congestionControl", congestionControl);
        return json;
    }

    @Override
    public String toString() {
        return cores + " cores (" + cpu + "), " + jdk + ", " + kernel + ", TCP congestion control " + congestionControl;
    }

    private static String cpuModel() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/cpuinfo"))) {
                if (line.startsWith("model name")) {
                    return line.substring(line.indexOf(':') + 1).trim();
                }
            }
        } catch (IOException e) {
            // no such file on this system
        }
        return System.getProperty("os.arch");
    }

    private static String firstLine(String path) {
        try {
            return Files.readString(Path.of(path)).trim();
        } catch (IOException e) {
            return UNKNOWN;
        }
    }
}
