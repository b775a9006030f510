package dev.msgrelay.server.subscribe;

import dev.msgrelay.server.connection.EngineLoop;
import dev.msgrelay.server.connection.Session;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.PacketLog;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * The subscribers of one event loop. Sends go round: each subscriber is handed the same few segments before any is
 * handed the next, so that the bytes are read from memory once and sent to all while they are in the core's own cache.
 *
 * <p>Each subscriber has a wall: what goes wrong in one ends that one, and the next has its turn. Owned by the loop's
 * thread; {@link #signal} may be called by any.
 */
public final class SendGroup implements EngineLoop.Duty {
    /** Bytes of a write, about: more gains nothing, and keeps the others waiting. */
    public static final int WRITE_BYTES = 256 << 10;

    /** Bytes of a write, about, to each of several subscribers: they must stay in the cache until all have them. */
    static final int SHARED_WRITE_BYTES = 128 << 10;

    /** Writes of one {@link #pump} at most, or one for each subscriber: publishers want to be read in between. */
    private static final int MOST_WRITES = 64;

    /** A subscriber of a group. On the group's loop. */
    interface Member {
        /** Sends as {@link Feed#next}; {@code head} may be moved on. Returns whether it is worth asking again. */
        boolean send(Mark head, int stride, int least, boolean everything);

        /** Returns whether the subscriber is sent to: it has not ended, or its last words are due. */
        boolean isServed();

        Session session();
    }

    private final PacketLog log;
    private final EngineLoop loop;
    final FilterBuffers buffers;
    // The subscribers wait for the head.
    private final boolean live;
    private final LongSupplier sleepNanos;
    // Replaced when a subscriber comes or goes, so that a turn goes on with those that it began with.
    private Member[] members = {};
    // The index of the subscriber that is served first in the next turn.
    private int first;
    private final Mark head = new Mark();
    private long lastHead;
    private boolean more;
    private volatile boolean any;
    // The stream has more for subscribers that get durable messages only.
    private volatile boolean moreDurable;
    // Subscribers of the group, and on their way to it.
    private final AtomicInteger seats = new AtomicInteger();

    /** Makes a group of subscribers that wait for the head. */
    public SendGroup(PacketLog log, EngineLoop loop, FilterBuffers buffers) {
        this(log, loop, buffers, true, () -> 0);
    }

    /** Makes a group of subscribers that are sent the journal, and wait for pages and their sockets. */
    public SendGroup(PacketLog log, EngineLoop loop, FilterBuffers buffers, ReplayPages pages) {
        this(log, loop, buffers, false, pages::sleepNanos);
    }

    private SendGroup(PacketLog log, EngineLoop loop, FilterBuffers buffers, boolean live, LongSupplier sleepNanos) {
        this.log = log;
        this.loop = loop;
        this.buffers = buffers;
        this.live = live;
        this.sleepNanos = sleepNanos;
    }

    public EngineLoop loop() {
        return loop;
    }

    void add(Member subscriber) {
        members = Arrays.copyOf(members, members.length + 1);
        members[members.length - 1] = subscriber;
        // Set before the subscriber's first look at the head: a writer that does not see this moved the head before.
        any = true;
    }

    void remove(Member subscriber) {
        members = Arrays.stream(members).filter(m -> m != subscriber).toArray(Member[]::new);
        any = members.length > 0;
    }

    /** Wakes the loop if it sleeps and has subscribers. Any thread, after the head has moved and a full fence. */
    public void signal() {
        if (any) {
            loop.signal();
        }
    }

    /** Tells the group that more of the stream is durable. Any thread. */
    public void durableMoved() {
        moreDurable = true;
        signal();
    }

    /** Counts a subscriber more, which is here or on its way. Any thread. */
    public SendGroup takeSeat() {
        seats.incrementAndGet();
        return this;
    }

    void leaveSeat() {
        seats.decrementAndGet();
    }

    /** Returns the number of subscribers, those on their way to this group included. Any thread. */
    public int seats() {
        return seats.get();
    }

    /**
     * Sends the stream to every subscriber whose last write is done; bounded.
     *
     * @param everything whether to send bytes that do not fill a segment, too; false while more is known to come
     * @return whether some subscribers would take more right away
     */
    public boolean pump(boolean everything) {
        if (moreDurable) {
            // Cleared before the look at the ends of durable streams.
            moreDurable = false;
        }
        log.head().read(head);
        lastHead = head.position();
        boolean several = members.length > 1;
        int stride = several ? SHARED_WRITE_BYTES : WRITE_BYTES;
        int least = several ? stride : 1;
        int writes = MOST_WRITES;
        more = members.length > 0;
        // Turns: the subscriber that is served first now is served last in the next one.
        first = first + 1 < members.length ? first + 1 : 0;
        while (more && writes > 0) {
            more = false;
            Member[] turn = members;
            int at = first < turn.length ? first : 0;
            for (int i = 0; i < turn.length; i++) {
                Member subscriber = turn[at];
                at = at + 1 < turn.length ? at + 1 : 0;
                try {
                    more |= subscriber.send(head, stride, least, everything);
                } catch (Throwable e) {
                    subscriber.session().failed(e);
                }
            }
            writes -= Math.max(1, turn.length);
        }
        return more;
    }

    /** The duty of a loop that only sends. */
    @Override
    public boolean work() {
        return pump(true);
    }

    @Override
    public long sleepNanos() {
        return sleepNanos.getAsLong();
    }

    /** Returns whether the head has moved since the last pump, or the last one has left something. */
    @Override
    public boolean pending() {
        return members.length > 0 && (more || moreDurable || live && log.head().position() != lastHead);
    }

    /** Runs {@link #tick} on the loop; a loop without subscribers sleeps on. Any thread. */
    public void tickThere() {
        if (any) {
            loop.io().execute(() -> tick(loop.nanoTime()));
        }
    }

    /** Looks, a few times a second, at time-outs and PINGs of the subscribers. */
    public void tick(long nowNanos) {
        for (Member subscriber : members) {
            subscriber.session().tick(nowNanos);
        }
    }
}
