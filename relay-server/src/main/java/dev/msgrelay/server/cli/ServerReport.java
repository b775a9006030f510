package dev.msgrelay.server.cli;

import dev.msgrelay.server.admin.AdminServer;
import dev.msgrelay.server.admin.Look;

/** What the command tells while it runs. One thread. */
interface ServerReport {
    /**
     * It listens.
     *
     * @param admin shows how it is doing; null: nothing does
     */
    void ready(AdminServer admin);

    /** A second has passed. */
    void second(Look look);

    /** Everybody who is connected. */
    void connections(Look look);

    /** It was told to stop. */
    void draining(Look look);

    /** It has stopped, after so many seconds. */
    void stopped(Look look, double seconds);

    /** It has stopped by itself, because of a fault of its own. */
    void failed(Look look, Throwable cause);
}
