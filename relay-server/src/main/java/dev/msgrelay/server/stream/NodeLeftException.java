package dev.msgrelay.server.stream;

/** The end of a relay that has left the order of several, for a reason outside of the program; the message has all of it. */
public class NodeLeftException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    public NodeLeftException(String message) {
        super(message);
    }
}
