package dev.msgrelay.server.cli;

import dev.msgrelay.server.admin.Look;

/** The command's output about a running relay. Used by one thread. */
interface ServerReport {
    /** The relay listens, and so do the ports for HTTP. */
    void ready(AdminPorts ports);

    /** Prints a line of figures. */
    void progress(Look look);

    /** Prints a table of all connections. */
    void connections(Look look);

    /** The relay begins to end, because the process got a signal to end. */
    void draining(Look look);

    /** The relay has ended, after {@code seconds} of draining. */
    void stopped(Look look, double seconds);

    /** The relay has ended because of a fault of its own, or of its journal. */
    void failed(Look look, Throwable cause);
}
