package dev.msgrelay.loadgen.site;

import dev.msgrelay.loadgen.host.ProcessFigures;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A place where processes of a run live. */
public interface Site {
    /** This host, with its loopback interface. */
    Site HERE = new HostSite("this host", List.of(), "127.0.0.1");

    /** For people: "this host", "far end of 10gbe (emulated)", "user@second". */
    String name();

    /** The address at which the other sites of the same run reach what listens here; listeners bind to it. */
    String address();

    /** The ports at which what is started here listens, where others connect to it. */
    default DataPorts ports() {
        return DataPorts.ANY;
    }

    /** Starts a JVM with the load generator's classes; of a process on another host the process id is -1. */
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
     * How far {@link System#nanoTime} of this site is ahead of the controller's, in nanoseconds; 0 on the same host, whose
     * processes share one clock.
     */
    default long nanosAhead() {
        return 0;
    }

    /**
     * What a site starts: a class of the load generator, in a JVM of its own.
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

    /**
     * The ports at which what is started at a site listens for the load, so that a firewall can know them.
     *
     * @param publish where messages are taken; 0: any free one
     * @param subscribe where they are given; 0: any free one
     */
    public record DataPorts(int publish, int subscribe) {
        /** Whichever the system gives, other ones for every run. */
        public static final DataPorts ANY = new DataPorts(0, 0);

        private static final int MAX_PORT = 65_535;

        /**
         * From {@code "7400,7401"}.
         *
         * @throws IllegalArgumentException naming the text and what is wrong with it
         */
        public static DataPorts parse(String text) {
            String[] ports = text.split(",", -1);
            if (ports.length != 2) {
                throw new IllegalArgumentException("'" + text + "' is not two ports, like 7400,7401");
            }
            DataPorts parsed = new DataPorts(port(ports[0].trim()), port(ports[1].trim()));
            if (parsed.publish == parsed.subscribe) {
                throw new IllegalArgumentException("'" + text + "' is one port twice");
            }
            return parsed;
        }

        private static int port(String digits) {
            if (!digits.matches("\\d{1,5}") || Integer.parseInt(digits) < 1 || Integer.parseInt(digits) > MAX_PORT) {
                throw new IllegalArgumentException("port '" + digits + "' is not within 1.." + MAX_PORT);
            }
            return Integer.parseInt(digits);
        }

        /** "7400,7401". */
        @Override
        public String toString() {
            return publish + "," + subscribe;
        }
    }
}
