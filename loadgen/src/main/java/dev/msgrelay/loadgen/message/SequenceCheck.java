package dev.msgrelay.loadgen.message;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts lost, duplicated and reordered messages of each publisher at one subscriber.
 *
 * <p>Every number of a publisher, from 0 on, must arrive once and in order. A skipped number counts as lost until it
 * arrives; then it counts as reordered. A number that arrives again is a duplicate. A message in order costs one
 * comparison and no allocation. Not thread-safe: the subscriber's thread owns it, and other threads may read it after
 * that thread's end.
 */
public final class SequenceCheck {
    /**
     * The most ranges of missing numbers that are stored for a publisher. Older ranges are dropped, and their numbers
     * stay lost.
     */
    static final int MAX_RANGES = 4096;

    private final long[] next;
    /** The ranges of missing numbers, by publisher id. Key: a range's first number; value: its last one. */
    private final Map<Integer, TreeMap<Long, Long>> missing = new HashMap<>();

    private long accepted;
    private long lost;
    private long duplicated;
    private long reordered;
    private long unknown;

    public SequenceCheck(int publishers) {
        this.next = new long[publishers];
    }

    public void onMessage(long stamp) {
        int id = LoadMessage.publisher(stamp);
        long number = LoadMessage.number(stamp);
        if (id < next.length && number == next[id]) {
            next[id] = number + 1;
            accepted++;
        } else {
            onOther(id, number);
        }
    }

    boolean isNext(long stamp) {
        int id = LoadMessage.publisher(stamp);
        return id < next.length && LoadMessage.number(stamp) == next[id];
    }

    /** Counts consecutive messages of one publisher; {@link #isNext} must be true for the first one. */
    void onRun(long first, long messages) {
        next[LoadMessage.publisher(first)] += messages;
        accepted += messages;
    }

    /** Skips numbers of a publisher that the relay passed over, which are not lost. */
    void onPassedOver(int id, long messages) {
        next[id] += messages;
    }

    private void onOther(int id, long number) {
        if (id >= next.length) {
            unknown++;
        } else if (number > next[id]) {
            skip(id, next[id], number - 1);
            next[id] = number + 1;
            accepted++;
        } else if (takeMissing(ranges(id), number)) {
            lost--;
            reordered++;
            accepted++;
        } else {
            duplicated++;
        }
    }

    /** Ends the count for a publisher that sent all numbers below {@code sent}. Those that did not arrive are lost. */
    public void onEnd(int id, long sent) {
        if (sent > next[id]) {
            skip(id, next[id], sent - 1);
            next[id] = sent;
        }
    }

    private void skip(int id, long from, long to) {
        lost += to - from + 1;
        remember(ranges(id), from, to);
    }

    private TreeMap<Long, Long> ranges(int id) {
        return missing.computeIfAbsent(id, first -> new TreeMap<>());
    }

    private static boolean takeMissing(TreeMap<Long, Long> ranges, long number) {
        Map.Entry<Long, Long> range = ranges.floorEntry(number);
        if (range == null || number > range.getValue()) {
            return false;
        }
        ranges.remove(range.getKey());
        if (range.getKey() < number) {
            remember(ranges, range.getKey(), number - 1);
        }
        if (number < range.getValue()) {
            remember(ranges, number + 1, range.getValue());
        }
        return true;
    }

    private static void remember(TreeMap<Long, Long> ranges, long from, long to) {
        ranges.put(from, to);
        if (ranges.size() > MAX_RANGES) {
            ranges.pollFirstEntry();
        }
    }

    public boolean heardOfAll() {
        for (long number : next) {
            if (number <= 0) {
                return false;
            }
        }
        return true;
    }

    public long accepted() {
        return accepted;
    }

    public long lost() {
        return lost;
    }

    public long duplicated() {
        return duplicated;
    }

    public long reordered() {
        return reordered;
    }

    public long unknown() {
        return unknown;
    }
}
