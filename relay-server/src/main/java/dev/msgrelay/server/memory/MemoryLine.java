package dev.msgrelay.server.memory;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/**
 * A line in front of one part of the budget: who asks for more than is left waits for its turn, first come, first served.
 * The one in front gets what it asked for as soon as so much has been given back, so it can always finish in the end, and
 * nobody behind overtakes it with a smaller wish.
 *
 * <p>Any thread; a lock, since only frames that are longer than a read come here.
 */
public final class MemoryLine {
    /** Who waits. */
    public interface Waiter {
        /** The bytes asked for are now reserved for it. On the executor it named. */
        void granted();
    }

    private record Place(Waiter waiter, long bytes, Executor on) {}

    private final MemoryBudget.Pool pool;
    private final ArrayDeque<Place> line = new ArrayDeque<>();

    public MemoryLine(MemoryBudget.Pool pool) {
        this.pool = pool;
    }

    /**
     * Asks for bytes.
     *
     * @param bytes not more than {@link #most}
     * @param on where the waiter is told
     * @return true: they are reserved; false: the waiter stands in the line, and is told once they are
     */
    public synchronized boolean ask(long bytes, Waiter waiter, Executor on) {
        if (line.isEmpty() && pool.tryTake(bytes)) {
            return true;
        }
        line.addLast(new Place(waiter, bytes, on));
        return false;
    }

    /** Leaves the line. Who is not there any more is told that what it asked for is reserved for it, and gives it back. */
    public synchronized void leave(Waiter waiter) {
        line.removeIf(place -> place.waiter == waiter);
        serve();
    }

    /** Gives bytes back, and serves those who wait. */
    public synchronized void give(long bytes) {
        pool.give(bytes);
        serve();
    }

    /** Bytes that one can ask for at most. */
    public long most() {
        return pool.limit();
    }

    /** How many wait. */
    public synchronized int length() {
        return line.size();
    }

    private void serve() {
        while (!line.isEmpty() && pool.tryTake(line.peekFirst().bytes)) {
            Place first = line.pollFirst();
            first.on.execute(first.waiter::granted);
        }
    }
}
