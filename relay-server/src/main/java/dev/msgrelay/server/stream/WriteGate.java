package dev.msgrelay.server.stream;

/** A limit on how far the log's writer may go, set by the readers whose policy it is to hold publishers back. */
public interface WriteGate {
    /** Returns whether the stream may grow by one run; if not, the gate holds the writer back from now on. */
    boolean tryPass(long position);
}
