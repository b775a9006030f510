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
        return Finding.at("JDK", name.replace(" 64-Bit Server VM", "") + " " + version)
                .fine("all processes of a run use it")
                .with("name", name)
                .with("version", version);
    }

    /** @param launcher the {@code java} of this JDK */
    static Finding launcher(Path launcher) {
        boolean found = Files.isExecutable(launcher);
        return Finding.at("java command", found ? "found" : "missing")
                .fine(found, launcher + " starts relay, publishers and subscribers")
                .when(
                        true,
                        Level.IMPOSSIBLE,
                        "relay, publishers and subscribers cannot be started without " + launcher
                                + ": use a whole JDK");
    }

    /**
     * @param flags of this JVM
     * @param environment of which {@link #FLAG_VARIABLES} count
     */
    static Finding flags(List<String> flags, Map<String, String> environment) {
        List<String> inherited = FLAG_VARIABLES.stream()
                .filter(variable -> !environment.getOrDefault(variable, "").isBlank())
                .map(variable -> variable + "=" + environment.get(variable))
                .toList();
        boolean slow = flags.stream().anyMatch(flag -> SLOW_FLAGS.stream().anyMatch(flag::startsWith));
        return Finding.at("JVM flags", flags.isEmpty() ? "none" : String.join(" ", flags))
                .warning(
                        !inherited.isEmpty(),
                        "every process of a run takes up " + String.join(", ", inherited) + ": unset it")
                .note(slow, "this process is slowed down; those of a run have flags of their own")
                .fine("of this process only; those of a run have flags of their own")
                .with("flags", List.copyOf(flags))
                .with("inherited", inherited);
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
        List<String> available = reasons.keySet().stream()
                .filter(transport -> reasons.get(transport).isEmpty())
                .toList();
        return Finding.at("transports", value)
                .fine(available.contains(EPOLL), "the relay takes epoll unless told otherwise" + why)
                .note("the relay falls back to the JDK's selectors, and guesses segment sizes from the MTU" + why)
                .with("available", available);
    }
}
