package dev.msgrelay.loadgen.message;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The order of one subscriber's messages, as hashes of blocks of the stream. If two subscribers get the same messages
 * in different orders, their hashes differ, even if each publisher's messages are in order.
 *
 * <pre>
 *  stream     | 0 .. 4095 | 4096 .. 8191 | 8192 .. 12287 | 12288 .. 13000
 *  blocks     |   hash    |    (hole)    |     hash      | the rest: hash
 * </pre>
 *
 * A <em>run</em> is a row of consecutive messages of one publisher. The hash includes the position and the stamp of the
 * first message of each run, which determine the run's other messages. The length of a block is a power of two. When
 * the array is full, every two neighbouring blocks are merged. A block with missing messages is a hole, which is not
 * compared. Workers send their traces to the controller as JSON. Not thread-safe: the subscriber's thread owns it.
 */
public final class OrderTrace implements MessageCheck.Order {
    /** The largest number of blocks; even. */
    static final int MAX_BLOCKS = 512;

    private static final long STAMP_FACTOR = 0x9E3779B97F4A7C15L;
    private static final long POSITION_FACTOR = 0xC2B2AE3D27D4EB4FL;
    private static final long MIX_FACTOR = 0xD6E8FEB86659FD93L;

    /** The value of a hole. One hash in 2^64 also has this value, and is treated like a hole. */
    private static final long HOLE = Long.MIN_VALUE;

    private long[] blocks = new long[MAX_BLOCKS];
    private int size;
    private long blockLength = 1;
    private long hash;
    private long inBlock;

    @Override
    public void startRun(long stamp) {
        hash = join(hash, mix(stamp, messages()));
        continueRun(1);
    }

    @Override
    public void continueRun(long messages) {
        // Blocks get longer while the loop runs, so it has some thousand steps at most.
        for (long left = messages; left > 0; ) {
            long here = Math.min(left, blockLength - inBlock);
            inBlock += here;
            left -= here;
            if (inBlock == blockLength) {
                closeBlock();
            }
        }
    }

    @Override
    public void skip(long messages) {
        for (long left = messages; left > 0; ) {
            long here = Math.min(left, blockLength - inBlock);
            hash = HOLE;
            continueRun(here);
            left -= here;
        }
        // This block is a hole, since the run that starts after the gap does not start at subscribers without the gap.
        hash = HOLE;
    }

    private void closeBlock() {
        blocks[size++] = hash;
        hash = 0;
        inBlock = 0;
        if (size == MAX_BLOCKS) {
            doubleBlocks();
        }
    }

    private void doubleBlocks() {
        int pairs = size / 2;
        for (int i = 0; i < pairs; i++) {
            blocks[i] = join(blocks[2 * i], blocks[2 * i + 1]);
        }
        if (size % 2 == 1) {
            hash = join(blocks[size - 1], hash);
            inBlock += blockLength;
        }
        size = pairs;
        blockLength *= 2;
    }

    private static long join(long first, long second) {
        return first == HOLE || second == HOLE ? HOLE : first + second;
    }

    private static long mix(long stamp, long position) {
        long mixed = stamp * STAMP_FACTOR + position * POSITION_FACTOR;
        mixed = (mixed ^ mixed >>> Integer.SIZE) * MIX_FACTOR;
        return mixed ^ mixed >>> Integer.SIZE;
    }

    public long messages() {
        return size * blockLength + inBlock;
    }

    /**
     * Compares each subscriber with the first subscriber that has the same block. Blocks with a hole are left out. The
     * messages after the last block are compared if both streams have the same length.
     *
     * @param traces traces of the subscribers; blocks are merged until all traces have the same block length
     * @return for each subscriber the position, from 0, of the first message of the first block that differs; or -1
     */
    public static long[] differences(List<OrderTrace> traces) {
        long longest =
                traces.stream().mapToLong(trace -> trace.blockLength).max().orElse(1);
        long[] differences = new long[traces.size()];
        long[] known = new long[MAX_BLOCKS];
        Arrays.fill(known, HOLE);
        Map<Long, OrderTrace> rests = new HashMap<>();
        for (int i = 0; i < differences.length; i++) {
            OrderTrace trace = traces.get(i);
            while (trace.blockLength < longest) {
                trace.doubleBlocks();
            }
            differences[i] = trace.difference(known);
            if (trace.hash != HOLE) {
                OrderTrace first = rests.putIfAbsent(trace.messages(), trace);
                if (differences[i] < 0 && first != null && first.hash != trace.hash) {
                    differences[i] = trace.size * longest;
                }
            }
        }
        return differences;
    }

    /**
     * Returns the position of the first block that differs from the known one, or -1. Adds blocks that are not known.
     */
    private long difference(long[] known) {
        long difference = -1;
        for (int i = 0; i < size; i++) {
            if (known[i] == HOLE) {
                known[i] = blocks[i];
            } else if (blocks[i] != HOLE && blocks[i] != known[i] && difference < 0) {
                difference = i * blockLength;
            }
        }
        return difference;
    }
}
