package dev.msgrelay.server.log;

/** Says how far the log's writer may go: the readers whose policy it is to hold publishers back. */
public interface WriteGate {
    /** Whether the stream may grow, by one run, from {@code position}. Asked by the writer, once per run. */
    boolean allows(long position);
}
