package dev.msgrelay.server.flow;

/** The gate as a subscriber sees it, for which publishers may be held back. Any thread. */
public interface ReaderGate {
    /** The gate of subscribers for which nobody is held back. */
    ReaderGate NEVER_HOLDS = new ReaderGate() {
        @Override
        public void add(WindowGate.Limit limit) {}

        @Override
        public void remove(WindowGate.Limit limit) {}

        @Override
        public void movedBack() {}

        @Override
        public void wakeIfRoom(long position) {}

        @Override
        public boolean blockedByReaders() {
            return false;
        }

        @Override
        public long blockedSinceNanos() {
            return 0;
        }
    };

    void add(WindowGate.Limit limit);

    void remove(WindowGate.Limit limit);

    /**
     * Tells the gate that a limit has gone back in the log. When this method returns, the log's writer keeps to the new
     * place.
     */
    void movedBack();

    /** Wakes the writer if a limit that has moved on, by a volatile store, has made room. */
    void wakeIfRoom(long position);

    /** Whether publishers are held back for a subscriber now. */
    boolean blockedByReaders();

    /** Time by the clock since which they are; meaningful while {@link #blockedByReaders}. */
    long blockedSinceNanos();
}
