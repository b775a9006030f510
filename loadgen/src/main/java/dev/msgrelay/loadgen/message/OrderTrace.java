package dev.msgrelay.loadgen.message;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * In which order one subscriber got all messages, as hashes of blocks of the stream. Two subscribers that got the same
 * messages in another order differ in a block's hash, also where each publisher's own messages are in order.
 *
 * <pre>
 *  stream     | 0 .. 4095 | 4096 .. 8191 | 8192 .. 12287 | 12288 .. 13000
 *  blocks     |   hash    |    (hole)    |     hash      | the rest: hash
 * </pre>
 *
 * What is hashed is where which message begins a <em>run</em>, messages in a row of one publisher: the others follow
 * from that. A block is so many messages, a power of two. Memory is taken once; when it is full each two blocks become
 * one. A block in which messages are missing is a hole, and is not compared. As JSON it goes to the controller. Not
 * thread-safe: the subscriber's thread owns it.
 */
public final class OrderTrace implements MessageCheck.Order {
    /** Blocks that are kept at most; even. */
    static final int MAX_BLOCKS = 512;

    private static final long STAMP_FACTOR = 0x9E3779B97F4A7C15L;
    private static final long PLACE_FACTOR = 0xC2B2AE3D27D4EB4FL;
    private static final long MIX_FACTOR = 0xD6E8FEB86659FD93L;

    /** In place of a hash; a block that has it by chance, once in 2^64, is a hole. */
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
        // Blocks get longer on the way, so that this takes some thousand steps for any number.
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
        // The next message begins a run here, and goes on with one for who misses nothing.
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

    /** The hash of two stretches. */
    private static long join(long first, long second) {
        return first == HOLE || second == HOLE ? HOLE : first + second;
    }

    private static long mix(long stamp, long place) {
        long mixed = stamp * STAMP_FACTOR + place * PLACE_FACTOR;
        mixed = (mixed ^ mixed >>> Integer.SIZE) * MIX_FACTOR;
        return mixed ^ mixed >>> Integer.SIZE;
    }

    /** Messages that came, or are known not to come. */
    public long messages() {
        return size * blockLength + inBlock;
    }

    /**
     * Where each of these subscribers got other messages, or the same in another order, than the first subscriber that
     * got all of a block: the number of the block's first message in the stream, from 0; -1 where nothing differs. Blocks
     * are compared that both have without a hole, and what follows the last one where both streams are of one length.
     *
     * @param traces whose blocks become as long as the longest of them
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

    /** The first block that is known to be another; what is not known yet is known then. */
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
