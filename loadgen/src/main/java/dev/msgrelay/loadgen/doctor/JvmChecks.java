package dev.msgrelay.loadgen.doctor;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The JVM, and what Netty can do in it. */
final class JvmChecks {
    /** Variables from which a JVM takes flags unasked: all processes of a run do. */
    static final List<String> FLAG_VARIABLES = List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

    /** Flags with which a JVM is slower, as they start. */
    private static final List<String> SLOW_FLAGS =
            List.of("-Xint", "-agentlib:", "-agentpath:", "-javaagent:", "-Xdebug", "-XX:TieredStopAtLevel", "-Xcomp");

    private static final String EPOLL = "epoll";

    private JvmChecks() {}

    static Finding jdk(String name, String version) {
        return Finding.fine(
                        "JDK", name.replace(" 64-Bit Server VM", "") + " " + version, "all processes of a run use it")
                .with("name", name)
                .with("version", version);
    }

    /** @param launcher the {@code java} of this JDK */
    static Finding launcher(Path launcher) {
        return Files.isExecutable(launcher)
                ? Finding.fine("java command", "found", launcher + " starts relay, publishers and subscribers")
                : Finding.of(
                        Level.IMPOSSIBLE,
                        "java command",
                        "missing",
                        "relay, publishers and subscribers cannot be started without " + launcher
                                + ": use a whole JDK");
    }

    /**
     * @param flags of this JVM
     * @param environment of which {@link #FLAG_VARIABLES} count
     */
    static Finding flags(List<String> flags, Map<String, String> environment) {
        String name = "JVM flags";
        String value = flags.isEmpty() ? "none" : String.join(" ", flags);
        List<String> inherited = FLAG_VARIABLES.stream()
                .filter(variable -> !environment.getOrDefault(variable, "").isBlank())
                .map(variable -> variable + "=" + environment.get(variable))
                .toList();
        Finding finding;
        if (!inherited.isEmpty()) {
            finding = Finding.warning(
                    name, value, "every process of a run takes up " + String.join(", ", inherited) + ": unset it");
        } else if (flags.stream().anyMatch(JvmChecks::isSlow)) {
            finding = Finding.note(name, value, "this process is slowed down; those of a run have flags of their own");
        } else {
            finding = Finding.fine(name, value, "of this process only; those of a run have flags of their own");
        }
        return finding.with("flags", List.copyOf(flags)).with("inherited", inherited);
    }

    private static boolean isSlow(String flag) {
        return SLOW_FLAGS.stream().anyMatch(flag::startsWith);
    }

    /** @param reasons each transport, and why it is not available here: empty when it is; in order */
    static Finding transports(Map<String, String> reasons) {
        String value = reasons.entrySet().stream()
                .map(entry -> entry.getValue().isEmpty() ? entry.getKey() : "no " + entry.getKey())
                .collect(Collectors.joining(", "));
        String why = reasons.values().stream()
                .filter(reason -> !reason.isEmpty())
                .map(reason -> "; " + reason)
                .collect(Collectors.joining());
        boolean epoll = reasons.getOrDefault(EPOLL, "unknown").isEmpty();
        Finding finding = epoll
                ? Finding.fine("transports", value, "the relay takes epoll unless told otherwise" + why)
                : Finding.note(
                        "transports",
                        value,
                        "the relay falls back to the JDK's selectors, and guesses segment sizes from the MTU" + why);
        List<String> available = reasons.keySet().stream()
                .filter(transport -> reasons.get(transport).isEmpty())
                .toList();
        return finding.with("available", available);
    }
}
