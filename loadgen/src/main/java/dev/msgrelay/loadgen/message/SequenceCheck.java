package dev.msgrelay.loadgen.message;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts each publisher's messages at one subscriber that are lost, duplicated or reordered.
 *
 * <p>From number 0 on, every number of a publisher must come once, in order. A skipped number counts as lost until it
 * comes; then it counts as reordered. A number that comes again is a duplicate. A message in order costs one comparison
 * and no allocation. Not thread-safe: the subscriber's thread owns it, and other threads may read it after a join.
 */
public final class SequenceCheck {
    /** Ranges of missing numbers that are remembered per publisher; the oldest are forgotten, and stay lost. */
    static final int MAX_RANGES = 4096;

    private final long[] next;
    /** Ranges of missing numbers of each publisher: from the first number to the last one. */
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

    /** Whether this message would be the next one of its publisher. */
    boolean isNext(long stamp) {
        int id = LoadMessage.publisher(stamp);
        return id < next.length && LoadMessage.number(stamp) == next[id];
    }

    /** Counts messages in a row of one publisher; {@link #isNext} holds for the first one. */
    void onRun(long first, long messages) {
        next[LoadMessage.publisher(first)] += messages;
        accepted += messages;
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

    /** Ends the count of one publisher, which sent the numbers below {@code sent}; missing ones are lost. */
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

    /** Whether at least one message of every publisher has come. */
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
