package dev.msgrelay.server.stream;

/**
 * The end of a relay whose part of the order lies on a disk that answers nothing. Whatever ends it must not wait for that disk;
 * threads that do so already stay as they are.
 */
public final class HungDiskException extends NodeLeftException {
    private static final long serialVersionUID = 1L;

    public HungDiskException(String message) {
        super(message);
    }
}
