package dev.msgrelay.server.log;

/** Says how far the log's writer may go: the readers whose policy it is to hold publishers back. */
public interface WriteGate {
    /**
     * Lets the stream grow, by one run, from {@code position}, or holds the writer back from now on. Called by the writer, once
     * per run.
     *
     * @return whether it may grow
     */
    boolean tryPass(long position);
}
