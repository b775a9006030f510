package dev.msgrelay.server.fanout;

import dev.msgrelay.server.core.EngineLoop;
import dev.msgrelay.server.log.Mark;
import dev.msgrelay.server.log.PacketLog;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.ops.Counters;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The subscribers of one event loop. Sends go round: each subscriber is handed the same few segments before anyone is
 * handed the next, so that the bytes are read from memory once and sent to all while they are in the core's own cache.
 *
 * <p>Each subscriber has a wall: what goes wrong in one ends that one, and the next has its turn. Owned by the loop's
 * thread; {@link #signal} may be called by any.
 */
public final class SendGroup {
    /** About this many bytes a write: more gains nothing, and keeps the others waiting. */
    public static final int WRITE_BYTES = 256 << 10;

    /** With several subscribers, about this many: what all of them are handed must stay in the cache. */
    static final int SHARED_WRITE_BYTES = 128 << 10;

    /** Writes of one {@link #pump} at most, or one for each: publishers want to be read in between. */
    private static final int MOST_WRITES = 64;

    private final PacketLog log;
    private final EngineLoop loop;
    private final FilterBuffers buffers;
    private final boolean live;
    private final List<SubscriberConnection> members = new ArrayList<>();
    private final Mark head = new Mark();
    private long lastHead;
    private boolean more;
    private volatile boolean any;
    // Whether the stream has more for those who get durable messages only.
    private volatile boolean moreDurable;
    // Its subscribers, those on the way to it included.
    private final AtomicInteger seats = new AtomicInteger();

    /**
     * @param loop whose subscribers these are
     * @param groups there are in all
     * @param live whether its subscribers wait for the head; those who are behind only wait for their sockets
     */
    public SendGroup(
            PacketLog log,
            EngineLoop loop,
            ByteBufAllocator allocator,
            MemoryBudget budget,
            Counters counters,
            int groups,
            boolean live) {
        this.log = log;
        this.loop = loop;
        this.live = live;
        this.buffers = new FilterBuffers(allocator, budget.pool(MemoryBudget.Part.FILTERS), counters, groups);
    }

    /** The loop whose subscribers these are. */
    public EngineLoop loop() {
        return loop;
    }

    FilterBuffers buffers() {
        return buffers;
    }

    void add(SubscriberConnection subscriber) {
        members.add(subscriber);
        // Before its first look at the head: a writer that does not see this moved the head before.
        any = true;
    }

    void remove(SubscriberConnection subscriber) {
        members.remove(subscriber);
        any = !members.isEmpty();
    }

    /** Wakes the loop if it sleeps and has someone to send to. Any thread, after the head has moved and a full fence. */
    public void signal() {
        if (any) {
            loop.signal();
        }
    }

    /** More of the stream is durable. Any thread. */
    public void durableMoved() {
        moreDurable = true;
        signal();
    }

    /** One more subscriber is here, or on its way. Any thread. */
    SendGroup takeSeat() {
        seats.incrementAndGet();
        return this;
    }

    /** A subscriber has ended, or goes elsewhere. Any thread. */
    void leaveSeat() {
        seats.decrementAndGet();
    }

    /** Returns the number of its subscribers, those on the way to it included. Any thread. */
    int seats() {
        return seats.get();
    }

    /**
     * Sends what there is to every subscriber whose last write is done; bounded.
     *
     * @param everything also what does not fill a whole segment; false while more is known to come
     * @return whether some of them would take more right away
     */
    public boolean pump(boolean everything) {
        if (members.size() > 1) {
            // Turns: the subscriber that was served first is served last now.
            members.add(0, members.remove(members.size() - 1));
        }
        if (moreDurable) {
            // Before the look at where their streams end.
            moreDurable = false;
        }
        log.head().read(head);
        lastHead = head.position();
        int stride = members.size() > 1 ? SHARED_WRITE_BYTES : WRITE_BYTES;
        int least = members.size() > 1 ? stride : 1;
        int writes = MOST_WRITES;
        more = !members.isEmpty();
        while (more && writes > 0) {
            more = false;
            // By index, and from the end: a subscriber that is closed leaves the list on the way.
            for (int i = members.size() - 1; i >= 0; i--) {
                more |= send(members.get(i), stride, least, everything);
            }
            writes -= Math.max(1, members.size());
        }
        return more;
    }

    private boolean send(SubscriberConnection subscriber, int stride, int least, boolean everything) {
        try {
            return subscriber.send(head, stride, least, everything);
        } catch (Throwable e) {
            subscriber.session().failed(e);
            return false;
        }
    }

    /** Whether the head has moved since the last pump, or the last one has left something. */
    public boolean pending() {
        return !members.isEmpty() && (more || moreDurable || live && log.head().position() != lastHead);
    }

    /** Has the loop {@link #tick}, if there is anyone: a loop without subscribers sleeps on. Any thread. */
    public void tickThere() {
        if (any) {
            loop.io().execute(() -> tick(loop.nanoTime()));
        }
    }

    /** Called a few times a second: looks for subscribers that stand still or are silent for too long, or want a PING. */
    public void tick(long nowNanos) {
        for (int i = members.size() - 1; i >= 0; i--) {
            members.get(i).session().tick(nowNanos);
        }
    }

    /** Gives memory back. */
    public void close() {
        buffers.close();
    }
}
