package dev.msgrelay.server.access;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/** The current policy, and the connections and rate that each identity uses at present. Any thread. */
public final class AccessControl {
    private final Map<String, Use> uses = new ConcurrentHashMap<>();
    private volatile AccessPolicy policy;

    /** @param policy empty: everybody may do everything */
    public AccessControl(Optional<AccessPolicy> policy) {
        this.policy = policy.orElse(AccessPolicy.EVERYBODY);
    }

    /** The current policy. */
    public AccessPolicy policy() {
        return policy;
    }

    /** Replaces the policy. Each connection notices the new one within a few tenths of a second. */
    public void change(Optional<AccessPolicy> other) {
        policy = other.orElse(AccessPolicy.EVERYBODY);
        Set<String> known = policy.identities().stream().map(Identity::name).collect(Collectors.toSet());
        uses.entrySet().removeIf(use -> use.getValue().isUnused() && !known.contains(use.getKey()));
    }

    Use use(Identity identity) {
        return uses.computeIfAbsent(identity.name(), name -> new Use());
    }

    /** The connections, replays and bytes of one identity, of all its connections together. Any thread; no lock. */
    static final class Use {
        /** Burst after a pause: the bytes that the rate allows in this time. */
        private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

        private final AtomicLong connections = new AtomicLong();
        private final AtomicLong replays = new AtomicLong();
        // For each direction: the time at which all bytes so far would have gone through at the rate.
        private final AtomicLong published = new AtomicLong(Long.MIN_VALUE);
        private final AtomicLong sent = new AtomicLong(Long.MIN_VALUE);
        // The rate that these times were computed with.
        private volatile long lastRate;

        /** Counts a connection, unless there are {@code most} already. After true, {@link #removeConnection} is due. */
        boolean addConnection(long most) {
            return oneMore(connections, most);
        }

        private static boolean oneMore(AtomicLong of, long most) {
            return of.getAndUpdate(now -> now < most ? now + 1 : now) < most;
        }

        void removeConnection() {
            connections.decrementAndGet();
        }

        /** Counts a reader of the journal, unless there are {@code most}. After true, {@link #endReplay} is due. */
        boolean beginReplay(long most) {
            return oneMore(replays, most);
        }

        void endReplay() {
            replays.decrementAndGet();
        }

        boolean isUnused() {
            return connections.get() == 0 && replays.get() == 0;
        }

        /** Counts bytes. Returns the nanoseconds for which no further bytes shall go through; 0 or less: no pause. */
        long took(boolean publishing, long bytes, long rate, long nowNanos) {
            if (rate != lastRate) {
                // A reload has changed the rate: bytes owed at the old one might take hours, so they are forgotten.
                lastRate = rate;
                published.set(Long.MIN_VALUE);
                sent.set(Long.MIN_VALUE);
            }
            AtomicLong through = publishing ? published : sent;
            // Double: bytes times nanoseconds would overflow a long. At useful rates it is exact to a microsecond.
            long nanos = (long) ((double) bytes * TimeUnit.SECONDS.toNanos(1) / rate);
            long before;
            long after;
            do {
                before = through.get();
                boolean rested = before == Long.MIN_VALUE || before - nowNanos < -BURST_NANOS;
                after = (rested ? nowNanos - BURST_NANOS : before) + nanos;
            } while (!through.compareAndSet(before, after));
            return after - nowNanos;
        }
    }
}
