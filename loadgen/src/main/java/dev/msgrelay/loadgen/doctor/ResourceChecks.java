package dev.msgrelay.loadgen.doctor;

import dev.msgrelay.loadgen.host.Cgroup;
import dev.msgrelay.loadgen.host.SystemTree;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
            return Finding.unknown(name, "a limit of CPU time stops all processes of a run for moments");
        }
        List<String> limits = new ArrayList<>();
        cgroup.cpus().ifPresent(cpus -> limits.add(Texts.format("%.2f cores", cpus)));
        cgroup.memoryBytes().ifPresent(bytes -> limits.add(Texts.bytes(bytes) + " of memory"));
        if (limits.isEmpty()) {
            return Finding.fine(name, "none", "no control group limits CPU time or memory");
        }
        boolean tightMemory = cgroup.memoryBytes().orElse(Long.MAX_VALUE) < MEMORY_WANTED;
        // The JVM rounds a quota up to whole cores: what it counts does not tell.
        boolean tightCpu = cgroup.cpus().isPresent();
        List<String> meanings = new ArrayList<>();
        if (tightCpu) {
            meanings.add("whoever has used up the CPU time is stopped until the next period: latencies show it");
        }
        if (tightMemory) {
            meanings.add("less memory than the " + Texts.bytes(MEMORY_WANTED) + " that a run should have");
        }
        if (meanings.isEmpty()) {
            meanings.add("enough memory for a run");
        }
        Finding finding = Finding.of(
                tightCpu || tightMemory ? Level.WARNING : Level.FINE,
                name,
                String.join(", ", limits),
                String.join("; ", meanings));
        if (cgroup.cpus().isPresent()) {
            finding = finding.with("cpus", cgroup.cpus().getAsDouble()).with("cores", cores);
        }
        return cgroup.memoryBytes().isPresent()
                ? finding.with("memoryBytes", cgroup.memoryBytes().getAsLong())
                : finding;
    }

    static Finding memory(SystemTree tree) {
        String name = "memory";
        Optional<Long> told = tree.field("proc/meminfo", "MemAvailable")
                .map(text -> text.replaceAll("\\D", ""))
                .filter(digits -> !digits.isEmpty())
                .map(digits -> Long.parseLong(digits) << 10);
        String use = "relay, publisher, subscriber and controller take about 0.5 GB, each further process 50 MB";
        if (told.isEmpty()) {
            return Finding.unknown(name, use);
        }
        Finding finding = Finding.of(
                told.get() < MEMORY_WANTED ? Level.WARNING : Level.FINE,
                name,
                Texts.bytes(told.get()) + " available",
                use);
        return finding.with("availableBytes", told.get());
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
            return Finding.unknown(name, "each connection takes one in every process that it ends in");
        }
        long limit = soft.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(soft);
        Level level = limit >= FEW_FILES ? Level.FINE : Level.NOTE;
        String meaning = limit == Long.MAX_VALUE
                ? "room for all connections that a run may have"
                : Texts.format("room for about %,d connections in each process", Math.max(0, limit - JVM_FILES));
        if (limit < TOO_FEW_FILES) {
            level = Level.IMPOSSIBLE;
            meaning = "not enough for a JVM and its sockets: raise 'ulimit -n'";
        }
        return Finding.of(level, name, "soft " + soft + ", hard " + hard, meaning)
                .with("soft", soft)
                .with("hard", hard);
    }

    static Finding temporaryDirectory(Path directory) {
        String name = "temporary directory";
        int length = directory.toString().getBytes(StandardCharsets.UTF_8).length;
        if (!Files.isDirectory(directory) || !Files.isWritable(directory)) {
            return Finding.warning(
                    name, directory.toString(), "cannot be written: no runs over Unix sockets (set java.io.tmpdir)");
        }
        if (length + SOCKET_NAME_LENGTH > MAX_SOCKET_PATH) {
            return Finding.warning(
                    name,
                    directory.toString(),
                    "its path has " + length + " bytes, over the " + (MAX_SOCKET_PATH - SOCKET_NAME_LENGTH)
                            + " that leave room for a Unix socket's name: no runs over Unix sockets");
        }
        return Finding.fine(name, directory.toString(), "Unix sockets can be made in it");
    }
}
