package dev.msgrelay.server.host;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A limit of this process's memory. The system kills or stalls a process that exceeds it. Immutable.
 *
 * @param bytes the limit, which all processes of a control group share
 * @param where source of the limit: the file of a group, or the line with the machine's memory
 */
public record MemoryLimit(long bytes, String where) {
    /**
     * This value and larger ones mean that there is no limit. A control group of version 1 then shows the largest
     * multiple of a page that fits a long.
     */
    private static final long NONE = Long.MAX_VALUE >> 1;

    private static final String MACHINE = "proc/meminfo";

    /** The lowest limit of this process's control group, its parents and the machine; empty without a limit. */
    public static Optional<MemoryLimit> lowest(SystemTree tree) {
        ControlGroups groups = ControlGroups.of(tree, "memory");
        // A group that exceeds memory.high is not killed, but slowed down until it stands still.
        List<String> files = groups.unified() ? List.of("memory.max", "memory.high") : List.of("memory.limit_in_bytes");
        Stream<MemoryLimit> limits = groups.directories().stream()
                .flatMap(directory -> files.stream().map(file -> directory + "/" + file))
                .flatMap(file -> tree.text(file).stream().flatMap(text -> limit(text, 1, "/" + file)));
        Stream<MemoryLimit> machine = tree.field(MACHINE, "MemTotal").stream()
                .flatMap(text -> limit(text.replaceFirst(" kB$", ""), 1 << 10, "MemTotal in /" + MACHINE));
        return Stream.concat(limits, machine).min(Comparator.comparingLong(MemoryLimit::bytes));
    }

    private static Stream<MemoryLimit> limit(String text, long unit, String where) {
        try {
            long bytes = Math.multiplyExact(Long.parseLong(text), unit);
            return bytes <= 0 || bytes >= NONE ? Stream.empty() : Stream.of(new MemoryLimit(bytes, where));
        } catch (ArithmeticException | NumberFormatException none) {
            return Stream.empty();
        }
    }
}
