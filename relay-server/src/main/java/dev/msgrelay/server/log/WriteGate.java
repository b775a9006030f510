package dev.msgrelay.server.log;

/** A limit on how far the log's writer may go, set by the readers whose policy it is to hold publishers back. */
public interface WriteGate {
    /**
     * Asks whether the stream may grow by one run from {@code position}. If not, the gate holds the writer back from
     * now on. Called by the writer, once per run.
     *
     * @return whether it may grow
     */
    boolean tryPass(long position);
}
