package dev.msgrelay.server.memory;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * All memory that a relay may use, divided into parts. Memory for clients is reserved from its part before it is
 * allocated, and given back after it is freed. No part lends to another one, so one kind of client cannot take the
 * memory of another kind, or of the log. Any thread.
 */
public final class MemoryBudget {
    public enum Kind {
        DIRECT,
        HEAP
    }

    /** The parts. Their sum is the relay's memory, and is logged at start. */
    public enum Part {
        RING("ring", Kind.DIRECT, true),
        LOG("log", Kind.DIRECT, true),
        PINS("log, held by slow subscribers", Kind.DIRECT, true),
        WRITER("log, in the writer's hand", Kind.DIRECT, true),
        READS("read buffers", Kind.DIRECT, true),
        RESTS("frames begun, short", Kind.DIRECT, false),
        FRAMES("frames begun, long", Kind.DIRECT, false),
        FILTERS("writes of chosen types", Kind.DIRECT, false),
        CONNECTIONS("connections", Kind.DIRECT, false),
        JOURNAL("journal, on the way to the disk", Kind.DIRECT, true),
        REPLAYS("journal, on the way to subscribers", Kind.DIRECT, false),
        STATE("state", Kind.DIRECT, true),
        STATE_BATCHES("state, on the way to subscribers", Kind.DIRECT, false),
        STATE_FOLD("state, on the way to the disk", Kind.DIRECT, true),
        CLUSTER("cluster, on the way and in order", Kind.DIRECT, true),
        TLS("TLS: records, sessions", Kind.DIRECT, false),
        INDEX("packet index and ring table", Kind.HEAP, true),
        CONTROL("control frames, type ranges", Kind.HEAP, false),
        NAMES("names of publishers", Kind.HEAP, false),
        SEGMENTS("journal, segments and names", Kind.HEAP, true),
        CONSENSUS("cluster, names and consensus", Kind.HEAP, true),
        SESSIONS("objects of connections", Kind.HEAP, false);

        private final String text;
        private final Kind kind;
        private final boolean takenAtStart;

        Part(String text, Kind kind, boolean takenAtStart) {
            this.text = text;
            this.kind = kind;
            this.takenAtStart = takenAtStart;
        }

        public String text() {
            return text;
        }

        public Kind kind() {
            return kind;
        }

        /** Whether the whole part counts as used as soon as the relay starts. */
        public boolean takenAtStart() {
            return takenAtStart;
        }
    }

    public static final class Pool {
        private final Part part;
        private final long limit;
        private final AtomicLong used = new AtomicLong();

        private Pool(Part part, long limit) {
            this.part = part;
            this.limit = limit;
            this.used.set(part.takenAtStart ? limit : 0);
        }

        public long limit() {
            return limit;
        }

        public long used() {
            return used.get();
        }

        /** Reserves {@code bytes} and returns true; returns false, and reserves nothing, if fewer are left. */
        public boolean tryTake(long bytes) {
            while (true) {
                long now = used.get();
                if (now + bytes > limit) {
                    return false;
                }
                if (used.compareAndSet(now, now + bytes)) {
                    return true;
                }
            }
        }

        /** Allocates memory for reserved bytes; gives the bytes back if the JVM has no memory left. */
        public <T> T allocate(long bytes, Supplier<T> memory) {
            try {
                return memory.get();
            } catch (OutOfMemoryError none) {
                giveBack(bytes);
                throw none;
            }
        }

        public void giveBack(long bytes) {
            long now = used.addAndGet(-bytes);
            if (now < 0) {
                throw new IllegalStateException(part + ": " + -now + " bytes more given back than were taken");
            }
        }
    }

    private final Map<Part, Pool> pools = new EnumMap<>(Part.class);

    /** @param limits bytes of each part; a part that is not in the map has 0 bytes */
    public MemoryBudget(Map<Part, Long> limits) {
        for (Part part : Part.values()) {
            pools.put(part, new Pool(part, limits.getOrDefault(part, 0L)));
        }
    }

    public Pool pool(Part part) {
        return pools.get(part);
    }

    public Map<Part, Pool> pools() {
        return Collections.unmodifiableMap(pools);
    }

    public long used(Kind kind) {
        return pools.values().stream()
                .filter(p -> p.part.kind == kind)
                .mapToLong(Pool::used)
                .sum();
    }
}
