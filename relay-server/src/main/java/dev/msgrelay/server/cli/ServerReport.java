package dev.msgrelay.server.cli;

/** What the command tells while it runs. One thread. */
interface ServerReport {
    /** It listens. */
    void ready();

    /** A second has passed. */
    void second();

    /** It was told to stop. */
    void draining();

    /** It has stopped, after so many seconds. */
    void stopped(double seconds);
}
