package dev.msgrelay.loadgen.doctor;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.host.Cgroup;
import dev.msgrelay.loadgen.host.SystemTree;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** What this process may take: cores, memory, descriptors, a place for sockets. */
final class ResourceChecks {
    /** Relay, publisher, subscriber and controller: about 0.5 GB in all, and some air. */
    private static final long MEMORY_WANTED = 1_000_000_000L;

    private static final long FEW_FILES = 4_096;

    /** Fewer do not even hold what a JVM opens for itself. */
    private static final long TOO_FEW_FILES = 64;

    /** A Unix socket's path, with the closing zero; the least of the systems in use. */
    private static final int MAX_SOCKET_PATH = 104;

    /** What a run appends to the temporary directory: "/loadgen", 20 digits, "/subscribe.sock". */
    private static final int SOCKET_NAME_LENGTH = 45;

    private static final int PAIR = 2;

    /** What a JVM with its jars, sockets and event loops has open besides connections, about. */
    private static final int JVM_FILES = 100;

    private ResourceChecks() {}

    static Finding limits(Cgroup cgroup, int cores, boolean told) {
        String name = "container limits";
        if (!told) {
            return Finding.at(name, null).unknown("a limit of CPU time stops all processes of a run for moments");
        }
        List<String> limits = new ArrayList<>();
        cgroup.cpus().ifPresent(cpus -> limits.add(format("%.2f cores", cpus)));
        cgroup.memoryBytes().ifPresent(bytes -> limits.add(Finding.bytes(bytes) + " of memory"));
        List<String> meanings = new ArrayList<>();
        // The JVM rounds a quota up to whole cores: what it counts does not tell.
        boolean tightCpu = cgroup.cpus().isPresent();
        if (tightCpu) {
            meanings.add("whoever has used up the CPU time is stopped until the next period: latencies show it");
        }
        if (cgroup.memoryBytes().orElse(Long.MAX_VALUE) < MEMORY_WANTED) {
            meanings.add("less memory than the " + Finding.bytes(MEMORY_WANTED) + " that a run should have");
        }
        return Finding.at(name, limits.isEmpty() ? "none" : String.join(", ", limits))
                .fine(limits.isEmpty(), "no control group limits CPU time or memory")
                .fine(meanings.isEmpty(), "enough memory for a run")
                .warning(String.join("; ", meanings))
                .with("cpus", tightCpu ? cgroup.cpus().getAsDouble() : null)
                .with("cores", tightCpu ? cores : null)
                .with(
                        "memoryBytes",
                        cgroup.memoryBytes().isPresent() ? cgroup.memoryBytes().getAsLong() : null);
    }

    static Finding memory(SystemTree tree) {
        Long available = tree.field("proc/meminfo", "MemAvailable")
                .map(text -> text.replaceAll("\\D", ""))
                .filter(digits -> !digits.isEmpty())
                .map(digits -> Long.parseLong(digits) << 10)
                .orElse(null);
        String use = "relay, publisher, subscriber and controller take about 0.5 GB, each further process 50 MB";
        return Finding.at("memory", available == null ? null : Finding.bytes(available) + " available")
                .unknown(use)
                .warning(available != null && available < MEMORY_WANTED, use)
                .fine(use)
                .with("availableBytes", available);
    }

    /** @param otherwise what the JVM says where there is no /proc; empty when it does not say either */
    static Finding openFiles(SystemTree tree, OptionalLong otherwise) {
        String name = "open files";
        String[] fields = tree.field("proc/self/limits", "Max open files")
                .map(text -> text.split("\\s+"))
                .orElse(new String[0]);
        String said = otherwise.isPresent() ? Long.toString(otherwise.getAsLong()) : "";
        String soft = fields.length >= PAIR ? fields[0] : said;
        String hard = fields.length >= PAIR ? fields[1] : said;
        if (soft.isEmpty()) {
            return Finding.at(name, null).unknown("each connection takes one in every process that it ends in");
        }
        long limit = soft.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(soft);
        String room = format("room for about %,d connections in each process", Math.max(0, limit - JVM_FILES));
        return Finding.at(name, "soft " + soft + ", hard " + hard)
                .when(
                        limit < TOO_FEW_FILES,
                        Level.IMPOSSIBLE,
                        "not enough for a JVM and its sockets: raise 'ulimit -n'")
                .note(limit < FEW_FILES, room)
                .fine(limit < Long.MAX_VALUE, room)
                .fine("room for all connections that a run may have")
                .with("soft", soft)
                .with("hard", hard);
    }

    static Finding temporaryDirectory(Path directory) {
        int length = directory.toString().getBytes(StandardCharsets.UTF_8).length;
        return Finding.at("temporary directory", directory)
                .warning(
                        !Files.isDirectory(directory) || !Files.isWritable(directory),
                        "cannot be written: no runs over Unix sockets (set java.io.tmpdir)")
                .warning(
                        length + SOCKET_NAME_LENGTH > MAX_SOCKET_PATH,
                        "its path has " + length + " bytes, over the " + (MAX_SOCKET_PATH - SOCKET_NAME_LENGTH)
                                + " that leave room for a Unix socket's name: no runs over Unix sockets")
                .fine("Unix sockets can be made in it");
    }
}
