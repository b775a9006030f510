package dev.msgrelay.server.state;

import dev.msgrelay.protocol.ControlFrames;
import java.nio.ByteBuffer;

/** A set of so many types at most, in memory that the caller gives. Owned by one thread. */
public final class TypeSet {
    /** Stands for an empty place: no message has a reserved type. */
    private static final int NONE = ControlFrames.FIRST;

    private final ByteBuffer memory;
    private final long most;
    private final long places;
    private final long seed;
    private long types;

    /**
     * @param memory {@link #memoryBytes} bytes
     * @param seed a random number that clients do not know, so that none can choose types that are slow to find
     */
    public TypeSet(ByteBuffer memory, long most, long seed) {
        this.memory = memory;
        this.most = most;
        this.places = memory.capacity() / Integer.BYTES;
        this.seed = seed;
        clear();
    }

    public static long memoryBytes(long most) {
        return (most + most / 2 + 1) * Integer.BYTES;
    }

    public void clear() {
        types = 0;
        for (int place = 0; place < places; place++) {
            memory.putInt(place * Integer.BYTES, NONE);
        }
    }

    public boolean isFull() {
        return types == most;
    }

    /** Whether the set has a type. */
    public boolean contains(int type) {
        return memory.getInt(find(type)) == type;
    }

    /** Adds a type to a set that is not full; returns whether it is new. */
    public boolean add(int type) {
        int at = find(type);
        if (memory.getInt(at) == type) {
            return false;
        }
        memory.putInt(at, type);
        types++;
        return true;
    }

    /** Returns the place, from 0 to {@code places}, where the search for a type begins. */
    static long home(int type, long seed, long places) {
        long hash = (type ^ seed) * 0x9E3779B97F4A7C15L;
        hash = (hash ^ hash >>> 32) * (seed | 1);
        return (hash >>> 32) * places >>> 32;
    }

    private int find(int type) {
        long place = home(type, seed, places);
        while (true) {
            int at = (int) place * Integer.BYTES;
            int there = memory.getInt(at);
            if (there == type || there == NONE) {
                return at;
            }
            place = place + 1 == places ? 0 : place + 1;
        }
    }
}
