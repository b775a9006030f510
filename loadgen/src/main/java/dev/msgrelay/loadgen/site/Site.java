package dev.msgrelay.loadgen.site;

import java.io.IOException;
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

    /** Starts a JVM with the load generator's classes. */
    SiteProcess start(JavaProgram program) throws IOException;

    /**
     * How far {@link System#nanoTime} of this site is ahead of the controller's, in nanoseconds; 0 on the same host, whose
     * processes share one clock.
     */
    default long nanosAhead() {
        return 0;
    }
}
