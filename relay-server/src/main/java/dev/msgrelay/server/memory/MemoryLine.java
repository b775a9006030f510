package dev.msgrelay.server.memory;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/**
 * A line in front of one part of the budget: a waiter that asks for more than is left waits for its turn, first come,
 * first served. The first waiter gets its bytes as soon as that many are free. So it can always finish in the end, and
 * no waiter behind overtakes it with a smaller request.
 *
 * <p>Any thread; a lock, since only frames that are longer than a read come here.
 */
public final class MemoryLine {
    public interface Waiter {
        /** The bytes asked for are now reserved for this waiter. Called on the executor that the waiter named. */
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
     * @param on runs {@link Waiter#granted}
     * @return true: they are reserved; false: the waiter stands in the line, and {@link Waiter#granted} is called once
     *     they are
     */
    public synchronized boolean ask(long bytes, Waiter waiter, Executor on) {
        if (line.isEmpty() && pool.tryTake(bytes)) {
            return true;
        }
        line.addLast(new Place(waiter, bytes, on));
        return false;
    }

    /**
     * Removes the waiter from the line. A waiter that is not in the line any more has been granted its bytes: {@link
     * Waiter#granted} is called or will be, and the waiter gives them back.
     */
    public synchronized void withdraw(Waiter waiter) {
        line.removeIf(place -> place.waiter == waiter);
        serve();
    }

    /** Gives bytes back, and grants waiters from the front what is now free. */
    public synchronized void giveBack(long bytes) {
        pool.giveBack(bytes);
        serve();
    }

    /** Bytes that one waiter can ask for at most. */
    public long most() {
        return pool.limit();
    }

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
