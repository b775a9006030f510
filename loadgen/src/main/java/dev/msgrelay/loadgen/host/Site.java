package dev.msgrelay.loadgen.host;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A place where processes of a run live. */
public interface Site {
    /** This host, with its loopback interface. */
    Site HERE = new HostSite("this host", List.of(), "127.0.0.1");

    /** For people: "this host", "far end of 10gbe (emulated)". */
    String name();

    /** The address at which the other sites of the same run reach what listens here; listeners bind to it. */
    String address();

    /** Starts a JVM with the load generator's classes. */
    Process start(JavaProgram program) throws IOException;

    /** Asks a process that was started here to end (SIGTERM). */
    default void terminate(Process process) {
        // Process.destroy would close its streams as well, and its last words would be lost.
        process.toHandle().destroy();
    }

    /** CPU time of such a process since its start, in nanoseconds; -1 where that is not known. */
    default long cpuNanos(Process process) {
        return ProcessFigures.cpuNanos(process.pid());
    }

    /** The most memory of it that was resident at one time, in bytes; -1 where that is not known. */
    default long peakResidentBytes(Process process) {
        return ProcessFigures.peakResidentBytes(process.pid());
    }

    /**
     * A process of a site: a class of the load generator, in a JVM of its own.
     *
     * @param javaOptions of the JVM
     * @param main name of the class
     */
    public record JavaProgram(List<String> javaOptions, String main, List<String> args) {
        public JavaProgram {
            javaOptions = List.copyOf(javaOptions);
            args = List.copyOf(args);
        }

        /** Netty's native transports: newer JDKs want to be told that this is meant. */
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
