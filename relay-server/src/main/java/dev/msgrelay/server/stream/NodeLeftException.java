package dev.msgrelay.server.stream;

/** Ends a relay that has left its cluster. The message has the reason, which is not a fault of the program. */
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

    /** Makes the exception for a relay that leaves because the disk with its cluster data does not answer. */
    public static NodeLeftException ofHungDisk(String message) {
        return new NodeLeftException(message, true);
    }

    /** Returns whether a fault is a hung disk. The relay must then end without waiting for the disk. */
    public static boolean isOfHungDisk(Throwable fault) {
        return fault instanceof NodeLeftException left && left.hungDisk;
    }
}
