package dev.msgrelay.loadgen.site;

import java.io.InputStream;
import java.io.OutputStream;

/** A process that a site has started. Any thread may call it. */
public interface SiteProcess {
    /** The process id where it is a process of this host, else -1. */
    long pid();

    InputStream stdout();

    InputStream stderr();

    /** Its end tells the process to leave. */
    OutputStream stdin();

    boolean isAlive();

    /** The exit code of a process that has ended. */
    int exitCode();

    /** Waits for its end; true when it has ended. */
    boolean awaitExit(long millis) throws InterruptedException;

    /** Asks it to end (SIGTERM). */
    void terminate();

    /** Ends it, now. */
    void kill();

    /** CPU time since its start, in nanoseconds; -1 where that is not known. */
    long cpuNanos();

    /** The most memory that was resident at one time, in bytes; -1 where that is not known. */
    long peakResidentBytes();
}
