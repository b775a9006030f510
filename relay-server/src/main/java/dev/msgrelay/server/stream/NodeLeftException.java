package dev.msgrelay.server.stream;

/**
 * The end of a relay that has left the order of several, for a reason outside of the program, which the message tells.
 */
public final class NodeLeftException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final boolean hungDisk;

    public NodeLeftException(String message) {
        this(message, false);
    }

    private NodeLeftException(String message, boolean hungDisk) {
        super(message);
        this.hungDisk = hungDisk;
    }

    /** The end of a relay whose part of the order lies on a disk that answers nothing. */
    public static NodeLeftException ofHungDisk(String message) {
        return new NodeLeftException(message, true);
    }

    /** Whether a fault is a hung disk: the relay's end must not wait for that. */
    public static boolean isOfHungDisk(Throwable fault) {
        return fault instanceof NodeLeftException left && left.hungDisk;
    }
}
