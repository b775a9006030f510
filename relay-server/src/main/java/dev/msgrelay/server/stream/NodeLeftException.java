package dev.msgrelay.server.stream;

/** Ends a relay that has left the order of a cluster. The reason is outside of the program, and in the message. */
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

    /** Describes a relay whose part of the order is on a disk that does not answer. */
    public static NodeLeftException ofHungDisk(String message) {
        return new NodeLeftException(message, true);
    }

    /** Returns whether a fault is a hung disk, for which the relay's end must not wait. */
    public static boolean isOfHungDisk(Throwable fault) {
        return fault instanceof NodeLeftException left && left.hungDisk;
    }
}
