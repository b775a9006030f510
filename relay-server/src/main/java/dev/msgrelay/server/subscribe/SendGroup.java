package dev.msgrelay.server.subscribe;

import dev.msgrelay.server.connection.EngineLoop;
import dev.msgrelay.server.connection.Session;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.PacketLog;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The subscribers of one event loop. All are sent the same few segments before any is sent the next ones. So these
 * bytes are read from memory once, and stay in the processor's cache until all subscribers have them.
 *
 * <p>A subscriber with an interval rests until its next tick, and costs a pump nothing meanwhile.
 *
 * <p>An exception in one subscriber ends no other. Owned by the loop's thread; {@link #signal} is for any thread.
 */
public final class SendGroup implements EngineLoop.Duty {
    /** The approximate bytes of a write. Longer writes gain nothing, and delay other subscribers. */
    public static final int WRITE_BYTES = 256 << 10;

    /** Limit of the writes in one {@link #pump}, unless there are more subscribers. Then publishers are read. */
    private static final int MOST_WRITES = 64;

    /** What the group needs from a subscriber. Called on the group's loop. */
    interface Member {
        /** Sends as {@link Feed#next} does; returns whether more could be sent at once. May move {@code head}. */
        boolean send(Mark head, int least, boolean everything);

        /** Returns whether frames may still be sent to the subscriber: the stream, or after the end the reason. */
        boolean isServed();

        Session session();
    }

    /** A member that is sent nothing until a time. */
    private record Rest(Member member, long untilNanos) {}

    private final PacketLog log;
    private final EngineLoop loop;
    final FilterBuffers buffers;
    private final Optional<ReplayPages> pages;
    // Replaced by a new array when a subscriber comes or goes, so that a round that has begun keeps its own.
    private Member[] members = {};
    // Members that rest, and the time at which the first of them wakes.
    private Rest[] resting = {};
    private long wakeNanos;
    // Those that rest when the present pump has ended, and those that wake when the next one begins.
    private final Map<Member, Rest> tired = new LinkedHashMap<>();
    private final Set<Member> woken = new HashSet<>();
    // The index of the subscriber that was first in the last pump.
    private int first;
    private final Mark head = new Mark();
    private long lastHead;
    private boolean more;
    private volatile boolean any;
    // Whether more of the stream has become durable, for subscribers that get only durable messages.
    private volatile boolean moreDurable;
    // The number of subscribers, including those on their way to the group.
    private final AtomicInteger seats = new AtomicInteger();

    /** @param pages memory for subscribers that are sent the journal; empty if this group is sent only the log */
    public SendGroup(PacketLog log, EngineLoop loop, FilterBuffers buffers, Optional<ReplayPages> pages) {
        this.log = log;
        this.loop = loop;
        this.buffers = buffers;
        this.pages = pages;
    }

    public EngineLoop loop() {
        return loop;
    }

    void add(Member subscriber) {
        members = Arrays.copyOf(members, members.length + 1);
        members[members.length - 1] = subscriber;
        // Set before the subscriber first reads the head. A writer that missed the flag had moved the head before, so
        // the subscriber sees the new head without a signal.
        any = true;
    }

    void remove(Member subscriber) {
        tired.remove(subscriber);
        woken.remove(subscriber);
        wake(rest -> rest.member == subscriber);
        members = Arrays.stream(members).filter(m -> m != subscriber).toArray(Member[]::new);
        any = members.length > 0;
    }

    /** Sends nothing to a member from the end of this pump until a time, unless it is woken. */
    void rest(Member subscriber, long untilNanos) {
        tired.put(subscriber, new Rest(subscriber, untilNanos));
    }

    /** Wakes a member, if it rests or is about to, when the next pump begins. */
    void wake(Member subscriber) {
        if (tired.remove(subscriber) == null && resting.length > 0) {
            woken.add(subscriber);
        }
    }

    private void wakeSome() {
        long now = loop.nanoTime();
        if (!woken.isEmpty() || now - wakeNanos >= 0) {
            wake(rest -> now - rest.untilNanos >= 0 || woken.contains(rest.member));
            woken.clear();
        }
    }

    private void layToRest() {
        members = Arrays.stream(members).filter(m -> !tired.containsKey(m)).toArray(Member[]::new);
        any = members.length > 0;
        rest(Stream.concat(Arrays.stream(resting), tired.values().stream()));
        tired.clear();
    }

    private void wake(Predicate<Rest> which) {
        Stream<Member> more = Arrays.stream(resting).filter(which).map(Rest::member);
        Member[] awake = Stream.concat(Arrays.stream(members), more).toArray(Member[]::new);
        if (awake.length > members.length) {
            members = awake;
            any = true;
            rest(Arrays.stream(resting).filter(which.negate()));
        }
    }

    private void rest(Stream<Rest> all) {
        resting = all.toArray(Rest[]::new);
        long first = resting.length == 0 ? 0 : resting[0].untilNanos;
        for (Rest rest : resting) {
            first = rest.untilNanos - first < 0 ? rest.untilNanos : first;
        }
        wakeNanos = first;
    }

    /** Wakes the loop if it sleeps and has subscribers. Any thread, after a move of the head and a full fence. */
    public void signal() {
        if (any) {
            loop.signal();
        }
    }

    /** Called when more of the stream is durable. Any thread. */
    public void durableMoved() {
        moreDurable = true;
        signal();
    }

    /** Counts one more subscriber, which is about to come. Returns this group. Any thread. */
    public SendGroup takeSeat() {
        seats.incrementAndGet();
        return this;
    }

    void leaveSeat() {
        seats.decrementAndGet();
    }

    /** Returns the number of subscribers, including those on their way to this group. Any thread. */
    public int seats() {
        return seats.get();
    }

    /**
     * Sends the next bytes to each subscriber without a write in flight. Ends after a limited number of writes, so that
     * the loop can do other work.
     *
     * @param everything whether to send even less than a segment; false while more bytes are known to come
     * @return whether more could be sent to some subscriber at once
     */
    public boolean pump(boolean everything) {
        if (moreDurable) {
            // Cleared before the durable ends are read. If an end moves after that, the flag is set again.
            moreDurable = false;
        }
        if (resting.length > 0) {
            wakeSome();
        }
        log.head().read(head);
        lastHead = head.position();
        boolean several = members.length > 1;
        int least = several ? WRITE_BYTES : 1;
        int writes = MOST_WRITES;
        more = members.length > 0;
        // Each pump begins with the next subscriber, so that none is always first.
        first = first + 1 < members.length ? first + 1 : 0;
        while (more && writes > 0) {
            more = false;
            Member[] turn = members;
            int at = first < turn.length ? first : 0;
            for (int i = 0; i < turn.length; i++) {
                Member subscriber = turn[at];
                at = at + 1 < turn.length ? at + 1 : 0;
                try {
                    more |= subscriber.send(head, least, everything);
                } catch (Throwable e) {
                    subscriber.session().failed(e);
                }
            }
            writes -= Math.max(1, turn.length);
        }
        if (!tired.isEmpty()) {
            layToRest();
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
        long most = pages.map(ReplayPages::sleepNanos).orElse(0L);
        if (resting.length == 0) {
            return most;
        }
        long rest = Math.max(1, wakeNanos - loop.nanoTime());
        return most == 0 ? rest : Math.min(most, rest);
    }

    /** Returns whether the head has moved since the last pump, or that pump has left something to send. */
    @Override
    public boolean pending() {
        return members.length > 0
                && (more || moreDurable || pages.isEmpty() && log.head().position() != lastHead);
    }

    /** Runs {@link #tick} on the loop, if that has subscribers. Any thread. */
    public void tickThere() {
        if (seats() > 0) {
            loop.io().execute(() -> tick(loop.nanoTime()));
        }
    }

    public void tick(long nowNanos) {
        Rest[] others = resting;
        for (Member subscriber : members) {
            subscriber.session().tick(nowNanos);
        }
        for (Rest rest : others) {
            rest.member.session().tick(nowNanos);
        }
    }
}
