package dev.msgrelay.lab.batching;

import java.util.AbstractQueue;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A {@link ConcurrentLinkedQueue} whose size is tracked, so that producers that outpace the consumer are held back: what
 * the article's author "often had to" do. Any number of threads.
 */
final class TrackedQueue<E> extends AbstractQueue<E> {
    private final Queue<E> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();
    private final int capacity;

    TrackedQueue(int capacity) {
        this.capacity = capacity;
    }

    @Override
    public boolean offer(E element) {
        if (size.incrementAndGet() > capacity) {
            size.decrementAndGet();
            return false;
        }
        return queue.offer(element);
    }

    @Override
    public E poll() {
        E element = queue.poll();
        if (element != null) {
            size.decrementAndGet();
        }
        return element;
    }

    @Override
    public E peek() {
        return queue.peek();
    }

    @Override
    public int size() {
        return size.get();
    }

    @Override
    public Iterator<E> iterator() {
        return queue.iterator();
    }
}
