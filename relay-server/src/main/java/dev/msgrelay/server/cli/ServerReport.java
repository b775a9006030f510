package dev.msgrelay.server.cli;

import dev.msgrelay.server.admin.AdminServer;
import dev.msgrelay.server.admin.Look;

/** The command's output about a running relay. One thread. */
interface ServerReport {
    /** The relay listens. A port that there is not is null. */
    void ready(AdminServer admin, AdminServer health);

    void second(Look look);

    void connections(Look look);

    void draining(Look look);

    /** The relay has stopped, after {@code seconds} of draining. */
    void stopped(Look look, double seconds);

    /** The relay has stopped by a fault of its own, or of its journal. */
    void failed(Look look, Throwable cause);
}
