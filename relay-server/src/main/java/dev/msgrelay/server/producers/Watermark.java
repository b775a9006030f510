package dev.msgrelay.server.producers;

/**
 * Up to which of its numbers a publisher's messages lie behind a place that the stream's journal has reached. A number is
 * known by the sequence that its message has in the stream; of these pairs it keeps a few, so a number may be told later than
 * it could be, and is never told too early.
 *
 * <pre>
 *   sequence   501    612    619    740  ...      reached 620: number 6
 *   number       3      5      6      9
 *                `--------------'      two neighbours become the later one where there is no room
 * </pre>
 *
 * Allocates once. Owned by the publisher's thread.
 */
final class Watermark {
    static final int MOST = 64;

    private final long[] sequences = new long[MOST];
    private final long[] numbers = new long[MOST];
    private int size;
    private long number;

    /** @param reached there is nothing before or at this number to be waited for */
    Watermark(long reached) {
        number = reached;
    }

    /** The message with this number, higher than all before, has this sequence. */
    void add(long sequence, long itsNumber) {
        if (size == MOST) {
            merge();
        }
        sequences[size] = sequence;
        numbers[size] = itsNumber;
        size++;
    }

    private void merge() {
        size = MOST / 2;
        for (int i = 0; i < size; i++) {
            sequences[i] = sequences[2 * i + 1];
            numbers[i] = numbers[2 * i + 1];
        }
    }

    /** All messages before a sequence have got there. Returns whether {@link #number} has moved. */
    boolean reached(long sequence) {
        int done = 0;
        while (done < size && sequences[done] < sequence) {
            done++;
        }
        if (done == 0) {
            return false;
        }
        number = numbers[done - 1];
        size -= done;
        System.arraycopy(sequences, done, sequences, 0, size);
        System.arraycopy(numbers, done, numbers, 0, size);
        return true;
    }

    /** This number and all before have got there. */
    long number() {
        return number;
    }

    /** Whether something has not got there. */
    boolean waits() {
        return size > 0;
    }
}
