package dev.msgrelay.server.journal;

import dev.msgrelay.server.journal.format.JournalName;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A queue through which the core reports messages of acknowledged publishers to the journal's writer, in the order of
 * the stream. A move stands for messages of one name, with no gap in their sequences and numbers.
 *
 * <pre>
 *   sequence   40    41    42    43     44    45       moves: orders 42, 3 messages, number 9
 *   message    o 7   o 8   o 9   p 1    o 10  o 11            prices 43, 1 message, number 1
 *                                                             orders 45, 2 messages, number 11
 * </pre>
 *
 * The core adds moves, and the journal's writer takes them. All memory is allocated at the start.
 */
public final class NameMoves {
    /** The queue's capacity. Far fewer moves come between two blocks, unless the disk hangs. */
    static final int MOST = 1 << 14;

    static final long BYTES = MOST * (3L * Long.BYTES + Integer.BYTES);

    private final JournalName[] names = new JournalName[MOST];
    private final long[] last = new long[MOST];
    private final long[] counts = new long[MOST];
    private final long[] numbers = new long[MOST];
    private final AtomicLong added = new AtomicLong();
    private final AtomicLong taken = new AtomicLong();
    private volatile boolean refused;
    private volatile boolean ended;

    /** Whether there is room for one more move. If not, publishers wait until {@link #mayGoOn}. */
    public boolean hasRoom() {
        if (ended || added.getPlain() - taken.getAcquire() < MOST) {
            return true;
        }
        refused = true;
        return false;
    }

    /** Whether waiting publishers may go on, because half of the queue is free again. */
    public boolean mayGoOn() {
        if (refused && (ended || added.getPlain() - taken.getAcquire() <= MOST / 2)) {
            refused = false;
        }
        return !refused;
    }

    /** Adds consecutive messages of a name, before they are published. Called only if {@link #hasRoom}. */
    public void add(JournalName name, long lastSequence, int messages, long number) {
        if (ended) {
            return;
        }
        long to = added.getPlain();
        int at = (int) to & MOST - 1;
        names[at] = name;
        last[at] = lastSequence;
        counts[at] = messages;
        numbers[at] = number;
        added.setRelease(to + 1);
    }

    /** Called after the writer has ended. From then on moves are ignored. */
    public void stop() {
        ended = true;
    }

    /** Whether publishers wait for room. Any thread. */
    public boolean refused() {
        return refused;
    }

    interface Sink {
        void reached(JournalName name, long number, long sequence);
    }

    /**
     * Reports and removes all moves that end before a sequence. Of a move that ends later, the part before the sequence
     * is reported, and the move stays in the queue.
     */
    void takeBefore(long sequence, Sink sink) {
        long from = taken.getPlain();
        long to = added.getAcquire();
        for (; from < to; from++) {
            int at = (int) from & MOST - 1;
            long after = last[at] + 1 - sequence;
            if (after >= counts[at]) {
                break;
            }
            if (after > 0) {
                sink.reached(names[at], numbers[at] - after, sequence - 1);
                break;
            }
            sink.reached(names[at], numbers[at], last[at]);
            names[at] = null;
        }
        taken.setRelease(from);
    }
}
