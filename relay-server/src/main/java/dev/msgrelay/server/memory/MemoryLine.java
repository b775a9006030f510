package dev.msgrelay.server.memory;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/**
 * A queue for one part of the budget, first come, first served. A waiter that asks for more bytes than are left waits
 * until they are free; a later waiter with a smaller request does not overtake it. Any thread. A lock is cheap enough,
 * because only frames that are longer than one read use this queue.
 */
public final class MemoryLine {
    public interface Waiter {
        /** Called on the waiter's executor once its bytes are reserved. */
        void granted();
    }

    private record Place(Waiter waiter, long bytes, Executor on) {}

    private final MemoryBudget.Pool pool;
    private final ArrayDeque<Place> line = new ArrayDeque<>();

    public MemoryLine(MemoryBudget.Pool pool) {
        this.pool = pool;
    }

    /**
     * Asks for bytes, at most {@link #most}. Returns whether they are reserved; otherwise the waiter is in the queue,
     * and {@code on} runs {@link Waiter#granted} later.
     */
    public synchronized boolean ask(long bytes, Waiter waiter, Executor on) {
        if (line.isEmpty() && pool.tryTake(bytes)) {
            return true;
        }
        line.addLast(new Place(waiter, bytes, on));
        return false;
    }

    /**
     * Removes a waiter from the queue. A waiter that is no longer in the queue has its bytes, even if {@link
     * Waiter#granted} was not called yet, and must give them back.
     */
    public synchronized void withdraw(Waiter waiter) {
        line.removeIf(place -> place.waiter == waiter);
        serve();
    }

    public synchronized void giveBack(long bytes) {
        pool.giveBack(bytes);
        serve();
    }

    /** The largest number of bytes that a waiter may ask for. */
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
