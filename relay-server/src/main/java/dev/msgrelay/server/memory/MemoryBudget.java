package dev.msgrelay.server.memory;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * All memory that a relay may use, part by part. What is taken at start is counted in full. What clients cause is reserved
 * from its part before it is taken, and given back after it was let go of. No part ever lends from another one, so what
 * one kind of client does cannot take the memory of another kind, nor that of the log's writer.
 *
 * <p>Any thread.
 */
public final class MemoryBudget {
    /** Where the bytes lie. */
    public enum Kind {
        DIRECT,
        HEAP
    }

    /** The parts. Their sum, printed at start, is the relay's memory. */
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

        /** In words. */
        public String text() {
            return text;
        }

        public Kind kind() {
            return kind;
        }

        /** Whether all of it is taken, or set aside, when the relay starts. */
        public boolean takenAtStart() {
            return takenAtStart;
        }
    }

    /** What is left of one part. */
    public static final class Pool {
        private final Part part;
        private final long limit;
        private final AtomicLong used = new AtomicLong();

        private Pool(Part part, long limit) {
            this.part = part;
            this.limit = limit;
            this.used.set(part.takenAtStart ? limit : 0);
        }

        public Part part() {
            return part;
        }

        /** Bytes in all. */
        public long limit() {
            return limit;
        }

        /** Bytes reserved at present. */
        public long used() {
            return used.get();
        }

        /** Reserves bytes; false where so many are not left, and nothing is reserved then. */
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

        /** Takes memory that bytes were just reserved for. Where the JVM has none after all, they are given back. */
        public <T> T allocate(long bytes, Supplier<T> memory) {
            try {
                return memory.get();
            } catch (OutOfMemoryError none) {
                give(bytes);
                throw none;
            }
        }

        /** Gives back what was reserved. */
        public void give(long bytes) {
            long now = used.addAndGet(-bytes);
            if (now < 0) {
                throw new IllegalStateException(part + ": " + -now + " bytes more given back than were taken");
            }
        }
    }

    private final Map<Part, Pool> pools = new EnumMap<>(Part.class);

    /** @param limits bytes of every part; a part that is missing has none */
    public MemoryBudget(Map<Part, Long> limits) {
        for (Part part : Part.values()) {
            pools.put(part, new Pool(part, limits.getOrDefault(part, 0L)));
        }
    }

    public Pool pool(Part part) {
        return pools.get(part);
    }

    /** All parts, in their order. */
    public Map<Part, Pool> pools() {
        return Collections.unmodifiableMap(pools);
    }

    /** Bytes of one kind that the relay uses at most. */
    public long limit(Kind kind) {
        return pools.values().stream()
                .filter(p -> p.part.kind == kind)
                .mapToLong(Pool::limit)
                .sum();
    }

    /** Bytes of one kind that are taken or reserved at present. */
    public long used(Kind kind) {
        return pools.values().stream()
                .filter(p -> p.part.kind == kind)
                .mapToLong(Pool::used)
                .sum();
    }
}
