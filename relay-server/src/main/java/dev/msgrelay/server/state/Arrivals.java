package dev.msgrelay.server.state;

import java.util.Arrays;

/**
 * The newest message of each type among the last ones of the stream. A type that comes often takes its place in the
 * order once for all of these. {@link #sort} gives the messages ranks in the order of their numbers.
 *
 * <p>Owned by the core's thread.
 */
final class Arrivals {
    /** Most types, which bounds the time that it takes to put them into the order. */
    static final int MOST_TYPES = 1 << 11;

    /** Numbers from the first message on. */
    static final int MOST_NUMBERS = 1 << 20;

    private static final int PLACE_BITS = 12;
    private static final int POSITION_BITS = Long.SIZE - Integer.numberOfTrailingZeros(MOST_NUMBERS);
    private static final int SORTED_BITS = 8;

    private final long factor;
    // Places by type, half of them empty: 0, or an entry and 1. An entry is type and length; then number and position,
    // less those of the first message. Entries lie close together, so that they stay in the processor's cache.
    private final char[] table = new char[1 << PLACE_BITS];
    private final long[] entries = new long[2 * MOST_TYPES];
    private int types;
    private long firstNumber;
    private long firstPosition;
    // Number, less the first one, and entry.
    private int[] ranks = new int[MOST_TYPES];
    private int[] sorted = new int[MOST_TYPES];
    private final int[] counts = new int[1 << SORTED_BITS];

    /** @param seed a random number that clients do not know, so that none can choose types that are slow to find */
    Arrivals(long seed) {
        factor = seed | 1;
    }

    int types() {
        return types;
    }

    /** Returns whether there may be no room for the message of a number. */
    boolean isFull(long number) {
        return types == MOST_TYPES || types > 0 && number - firstNumber >= MOST_NUMBERS;
    }

    /** Returns whether there is a message from before a position. */
    boolean beginsBefore(long position) {
        return types > 0 && firstPosition < position;
    }

    /** Notes a message, whose number and position are higher than all before. */
    void note(int type, int length, long number, long position) {
        int place = (int) (type * factor >>> Long.SIZE - PLACE_BITS);
        int entry = table[place] - 1;
        while (entry >= 0 && type(entry) != type) {
            place = place + 1 & table.length - 1;
            entry = table[place] - 1;
        }
        if (entry < 0) {
            entry = add(place, number, position);
        }
        entries[2 * entry] = (long) type << Integer.SIZE | length;
        entries[2 * entry + 1] = number - firstNumber << POSITION_BITS | position - firstPosition;
    }

    private int add(int place, long number, long position) {
        if (types == 0) {
            firstNumber = number;
            firstPosition = position;
        }
        table[place] = (char) ++types;
        return types - 1;
    }

    private int type(int entry) {
        return (int) (entries[2 * entry] >>> Integer.SIZE);
    }

    /** Gives each message its rank, from 0 to {@link #types}, in the order of the numbers. */
    void sort() {
        int highest = 0;
        for (int entry = 0; entry < types; entry++) {
            int number = (int) (entries[2 * entry + 1] >>> POSITION_BITS);
            ranks[entry] = number * MOST_TYPES | entry;
            highest = Math.max(highest, number);
        }
        for (int shift = 0; highest >>> shift > 0; shift += SORTED_BITS) {
            sortBy(Integer.numberOfTrailingZeros(MOST_TYPES) + shift);
        }
    }

    /** Sorts by some bits of the ranks, and leaves the order of what is equal in these. */
    private void sortBy(int shift) {
        int mask = counts.length - 1;
        Arrays.fill(counts, 0);
        for (int k = 0; k < types; k++) {
            counts[ranks[k] >>> shift & mask]++;
        }
        for (int k = 1; k <= mask; k++) {
            counts[k] += counts[k - 1];
        }
        for (int k = types - 1; k >= 0; k--) {
            sorted[--counts[ranks[k] >>> shift & mask]] = ranks[k];
        }
        int[] swap = ranks;
        ranks = sorted;
        sorted = swap;
    }

    int typeAt(int rank) {
        return type(ranks[rank] % MOST_TYPES);
    }

    int lengthAt(int rank) {
        return (int) entries[2 * (ranks[rank] % MOST_TYPES)];
    }

    long numberAt(int rank) {
        return firstNumber + ranks[rank] / MOST_TYPES;
    }

    long positionAt(int rank) {
        long entry = entries[2 * (ranks[rank] % MOST_TYPES) + 1];
        return firstPosition + (entry & (1L << POSITION_BITS) - 1);
    }

    void clear() {
        types = 0;
        Arrays.fill(table, (char) 0);
    }
}
