package dev.msgrelay.server.session;

import dev.msgrelay.server.log.WriteGate;
import dev.msgrelay.server.loop.RelayLoop;
import io.netty.channel.ManualIoEventLoop;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Lets the log run ahead of its slowest {@code backpressure} subscriber by a window, no further. The ring then fills, and
 * publishers' sockets are no longer read: that is the back pressure.
 *
 * <p>The window is smaller than the log: bytes that wait longer than they must have left the cache when they are sent.
 *
 * <p>{@link #allows} is called by the log's writer; members come and go on any thread.
 */
public final class BackpressureGate implements WriteGate {
    /** A round of the writer's loop takes a millisecond or two; a host that stands still may take longer. */
    private static final long WRITER_MILLIS = 1_000;

    private final long window;
    private final RelayLoop writerLoop;

    private volatile SubscriberSession[] members = {};
    private volatile boolean blocked;
    private volatile long blockedSinceNanos;
    private volatile long refused;
    private final HeldTime time = new HeldTime();

    // Of the writer.
    private SubscriberSession[] seen = members;
    private long limit = Long.MAX_VALUE;

    /**
     * @param window bytes that the log may run ahead, give or take one run
     * @param writerLoop is signalled when a member has made room
     */
    public BackpressureGate(long window, RelayLoop writerLoop) {
        this.window = window;
        this.writerLoop = writerLoop;
    }

    @Override
    public boolean allows(long position) {
        if (position <= limit && seen == members) {
            // The limit may have been looked up by stillRefuses or halfOpen: nobody is held back any more.
            unblock();
            return true;
        }
        if (position <= lookAgain()) {
            unblock();
            return true;
        }
        refused = position;
        if (!blocked) {
            blockedSinceNanos = System.nanoTime();
            time.begin(blockedSinceNanos);
            blocked = true;
        }
        // Once more after the flag is up: a member that moved on before it did not signal.
        if (position <= lookAgain()) {
            unblock();
            return true;
        }
        return false;
    }

    /** Whether publishers are being held back at present. */
    public boolean blocked() {
        return blocked;
    }

    /** Whether the writer shall not try again yet; it asks before it sleeps. */
    boolean stillRefuses() {
        return blocked && !halfOpen(refused);
    }

    /** Whether whoever waits may go on: half of the window is free. A little room would soon be gone again. */
    boolean halfOpen(long position) {
        return position <= lookAgain() - window / 2;
    }

    /** Since when, by {@link System#nanoTime}; meaningful while {@link #blocked}. */
    public long blockedSinceNanos() {
        return blockedSinceNanos;
    }

    /** How long the log was not allowed to grow, since the start. Any thread. */
    public long blockedNanos(long now) {
        return time.nanos(now);
    }

    /** Called by a member, after its cursor has moved (a volatile store). The last one to free half of the window counts. */
    void memberMoved(long cursor) {
        if (blocked && cursor >= refused - window / 2) {
            writerLoop.signal();
        }
    }

    /**
     * Called by a member whose cursor has gone back in the log: the limit that was looked up is too far ahead. When this
     * returns the writer has ended what it was allowed before; from now on it keeps to where the member stands.
     */
    void memberMovedBack() {
        lookAtMembersAgain();
        awaitWriter();
    }

    private synchronized void lookAtMembersAgain() {
        members = members.clone();
    }

    /** The writer appends between the tasks of its loop, never within one. It waits for nobody, so this is short. */
    private void awaitWriter() {
        ManualIoEventLoop writer = writerLoop.io();
        if (writer.inEventLoop()) {
            return;
        }
        CountDownLatch between = new CountDownLatch(1);
        try {
            writer.execute(between::countDown);
            between.await(WRITER_MILLIS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            // The relay is being closed: nothing is written any more.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    synchronized void add(SubscriberSession session) {
        SubscriberSession[] old = members;
        SubscriberSession[] next = java.util.Arrays.copyOf(old, old.length + 1);
        next[old.length] = session;
        members = next;
    }

    synchronized void remove(SubscriberSession session) {
        members = java.util.Arrays.stream(members).filter(s -> s != session).toArray(SubscriberSession[]::new);
        memberMoved(Long.MAX_VALUE);
    }

    private void unblock() {
        if (blocked) {
            blocked = false;
            time.end(System.nanoTime());
        }
    }

    private long lookAgain() {
        seen = members;
        long slowest = Long.MAX_VALUE / 2;
        for (SubscriberSession session : seen) {
            slowest = Math.min(slowest, session.cursor());
        }
        limit = slowest + window;
        return limit;
    }
}
