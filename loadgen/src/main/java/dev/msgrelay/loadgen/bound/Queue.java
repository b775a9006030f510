package dev.msgrelay.loadgen.bound;

/**
 * What the samples say of one end of all connections of one kind; of several connections, the one whose queue was long most often.
 *
 * @param connections seen
 * @param samples taken of it
 * @param waiting share of the samples in which at least {@link #LONG_BYTES} stood in it, 0..1
 * @param meanBytes in it
 */
public record Queue(int connections, int samples, double waiting, double meanBytes) {
    /** With less than this, a queue is as good as empty: half of a loopback segment. */
    public static final int LONG_BYTES = 32 << 10;

    private static final double FULL = 0.8;
    private static final double EMPTY = 0.5;

    /** Nearly always something waits in it. */
    public boolean isFull() {
        return waiting >= FULL;
    }

    /** Often nothing waits in it: its reader catches up, so it is not its reader that is slow. */
    public boolean isEmpty() {
        return waiting <= EMPTY;
    }
}
