package dev.msgrelay.server.stream;

/** The gate as a subscriber sees it, for which publishers may be held back. Any thread. */
public interface ReaderGate {
    /** The time since which publishers wait, where none does. */
    long NEVER = Long.MAX_VALUE;

    /** The gate of subscribers for which nobody is held back: all defaults hold. */
    ReaderGate NEVER_HOLDS = new ReaderGate() {};

    default void add(WindowGate.Limit limit) {}

    default void remove(WindowGate.Limit limit) {}

    /**
     * Tells the gate that a limit has gone back in the log. When this method returns, the log's writer keeps to the new
     * place.
     */
    default void movedBack() {}

    /** Wakes the writer if a limit that has moved on, by a volatile store, has made room. */
    default void wakeIfRoom(long position) {}

    /** Whether publishers are held back for a subscriber now. */
    default boolean blockedByReaders() {
        return false;
    }

    /** Time by the clock since which they are; meaningful while {@link #blockedByReaders}. */
    default long blockedSinceNanos() {
        return 0;
    }
}
