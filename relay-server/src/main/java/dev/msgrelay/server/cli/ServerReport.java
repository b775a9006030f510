package dev.msgrelay.server.cli;

import dev.msgrelay.server.admin.AdminServer;
import dev.msgrelay.server.admin.Look;

/** The command's output about a running relay. One thread. */
interface ServerReport {
    /**
     * The relay listens.
     *
     * @param admin the admin port; null: there is none
     * @param health the port for health alone; null: there is none
     */
    void ready(AdminServer admin, AdminServer health);

    /** A line of figures is due. */
    void progress(Look look);

    /** A table of all connections is due. */
    void connections(Look look);

    /** The relay was told to stop. */
    void draining(Look look);

    /** The relay has stopped, after {@code seconds} of draining. */
    void stopped(Look look, double seconds);

    /** The relay has stopped by a fault of its own, or of its journal. */
    void failed(Look look, Throwable cause);
}
