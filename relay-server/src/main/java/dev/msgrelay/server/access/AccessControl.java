package dev.msgrelay.server.access;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/** The current policy, and the numbers of connections, replays and bytes that each identity uses. Any thread. */
public final class AccessControl {
    private final Map<String, Use> uses = new ConcurrentHashMap<>();
    private volatile AccessPolicy policy;

    /** @param policy empty if everybody may do everything */
    public AccessControl(Optional<AccessPolicy> policy) {
        this.policy = policy.orElse(AccessPolicy.EVERYBODY);
    }

    public AccessPolicy policy() {
        return policy;
    }

    /** Replaces the policy. The rights of each connection are checked again within a few tenths of a second. */
    public void change(Optional<AccessPolicy> other) {
        policy = other.orElse(AccessPolicy.EVERYBODY);
        Set<String> known = policy.identities().stream().map(Identity::name).collect(Collectors.toSet());
        uses.entrySet().removeIf(use -> use.getValue().isUnused() && !known.contains(use.getKey()));
    }

    Use use(Identity identity) {
        return uses.computeIfAbsent(identity.name(), name -> new Use());
    }

    /** The connections, replays and bytes of one identity. Any thread; no lock. */
    static final class Use {
        /** A burst after a pause has at most the bytes that the rate allows in this time. */
        private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

        private final AtomicLong connections = new AtomicLong();
        private final AtomicLong replays = new AtomicLong();
        // For bytes published and bytes sent: the System.nanoTime at which the rate will have allowed all bytes so far.
        private final AtomicLong published = new AtomicLong(Long.MIN_VALUE);
        private final AtomicLong sent = new AtomicLong(Long.MIN_VALUE);
        // The rate with which both times were computed.
        private volatile long lastRate;

        /** Counts a connection until {@link #removeConnection}. Returns false if there are {@code most} already. */
        boolean addConnection(long most) {
            return addUpTo(most, connections);
        }

        private static boolean addUpTo(long most, AtomicLong count) {
            return count.getAndUpdate(now -> now < most ? now + 1 : now) < most;
        }

        void removeConnection() {
            connections.decrementAndGet();
        }

        /** Counts a replay until {@link #endReplay}. Returns false if there are {@code most} already. */
        boolean beginReplay(long most) {
            return addUpTo(most, replays);
        }

        void endReplay() {
            replays.decrementAndGet();
        }

        boolean isUnused() {
            return connections.get() == 0 && replays.get() == 0;
        }

        /** Counts bytes. Returns the pause that shall follow, in nanoseconds; 0 or less for no pause. */
        long took(boolean publishing, long bytes, long rate, long nowNanos) {
            if (rate != lastRate) {
                // A reload has changed the rate. A pause at the old rate might last for hours, so it is dropped.
                lastRate = rate;
                published.set(Long.MIN_VALUE);
                sent.set(Long.MIN_VALUE);
            }
            AtomicLong through = publishing ? published : sent;
            // A double, since a long would overflow. The error is below a microsecond at usual rates.
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
