package dev.msgrelay.loadgen.host;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Where processes of a run are started: on this host, or in a network namespace of this host. All JVMs use this JVM's
 * JDK and class path.
 *
 * @param prefix arguments to put before the java command, for example nsenter with its options. The program must
 *     replace itself by java (exec), so that the started process is the JVM.
 */
public record Site(String name, List<String> prefix, String address) {
    public static final Site HERE = new Site("this host", List.of(), "127.0.0.1");

    private static final String GUARD =
            "exec 3<&0; (cat <&3; kill -9 $$) >/dev/null 2>&1 & exec 3<&-; exec \"$@\" </dev/null";

    public Process start(JavaProgram program) throws IOException {
        return new ProcessBuilder(command(program)).start();
    }

    public List<String> command(JavaProgram program) {
        List<String> command = new ArrayList<>(prefix);
        command.add(java());
        command.addAll(program.javaOptions());
        command.addAll(List.of("-cp", classPath(), program.main()));
        command.addAll(program.args());
        return command;
    }

    /**
     * Wraps a command so that its process ends with this JVM in every case. A shell replaces itself by the command
     * (exec) in the same process. A child of the shell kills that process after the end of stdin.
     */
    public static List<String> guarded(List<String> command) {
        List<String> guarded = new ArrayList<>(List.of("sh", "-c", GUARD, "guarded"));
        guarded.addAll(command);
        return guarded;
    }

    public static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** A class of loadgen that runs in a JVM of its own. */
    public record JavaProgram(List<String> javaOptions, String main, List<String> args) {
        /** Adds the options that newer JDKs need for Netty's native transports. */
        public static List<String> withNativeAccess(List<String> javaOptions) {
            List<String> options = new ArrayList<>(javaOptions);
            int jdk = Runtime.version().feature();
            options.add("--enable-native-access=ALL-UNNAMED");
            if (jdk >= 24) {
                options.add("--sun-misc-unsafe-memory-access=allow");
            }
            return options;
        }
    }
}
