package dev.msgrelay.server.producers;

import dev.msgrelay.protocol.Level;
import dev.msgrelay.server.connection.Durability;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.StreamHead;

/**
 * How durable a publisher's messages are: the numbers up to which the journal has written and forced them. Owned by the
 * publisher's thread.
 */
final class Levels {
    /** The levels of a publisher that gets no reports about the journal, and waits for nothing. */
    static final Levels NONE = new Levels();

    private final Durability durability;
    private final Level wanted;
    private final Watermark written;
    private final Watermark forced;
    private final Mark mark = new Mark();

    /**
     * @param wanted the level that the publisher waits for
     * @param sequence sequence of the publisher's last message in the stream; 0 if there is none, or it is forced
     * @param number number of that message
     */
    Levels(Durability durability, Level wanted, long sequence, long number) {
        this.durability = durability;
        this.wanted = wanted;
        this.written = mark(durability.written(), sequence, number);
        this.forced = mark(durability.forced(), sequence, number);
    }

    private Levels() {
        durability = null;
        wanted = Level.STREAM;
        written = new Watermark(0);
        forced = written;
    }

    private Watermark mark(StreamHead head, long sequence, long number) {
        boolean there = next(head) > sequence;
        Watermark result = new Watermark(there ? number : 0);
        if (!there) {
            result.add(sequence, number);
        }
        return result;
    }

    /** Adds the messages up to {@code number}. The last of them has {@code sequence}. */
    void addInStream(long sequence, long number) {
        if (this != NONE) {
            written.add(sequence, number);
            forced.add(sequence, number);
        }
    }

    /** Requests that the journal brings all messages before a position to the publisher's level. */
    void want(long position) {
        durability.wantWritten(position);
        if (wanted == Level.FORCED) {
            durability.wantForced(position);
        }
    }

    /** Reads how far the journal has written and forced; returns whether one of the two numbers has moved. */
    boolean look() {
        if (!waits()) {
            return false;
        }
        // The forced number is looked up first, so that it is never above the written number.
        boolean moved = forced.reached(next(durability.forced()));
        return written.reached(next(durability.written())) | moved;
    }

    long written() {
        return written.number();
    }

    long forced() {
        return forced.number();
    }

    /** Returns whether there is a message that is not yet both written and forced. */
    boolean waits() {
        return written.waits() || forced.waits();
    }

    /** Returns whether there is a message below the level that the publisher waits for. */
    boolean publisherWaits() {
        return wanted == Level.FORCED ? forced.waits() : wanted == Level.WRITTEN && written.waits();
    }

    /** Returns the number up to which all messages have reached the publisher's level. */
    long settled(long inStream) {
        return wanted == Level.STREAM ? inStream : wanted == Level.WRITTEN ? written() : forced();
    }

    private long next(StreamHead head) {
        head.read(mark);
        return mark.sequence();
    }

    /**
     * Turns the sequence that the journal has reached into the number of a publisher's message. Only 64 pairs of the
     * two are kept, so a number may be reported late, but never too early.
     *
     * <pre>
     *   sequence   501    612    619    740  ...      reached 620: number 6
     *   number       3      5      6      9
     *                `--------------'      if there is no room, only the later of two neighbours is kept
     * </pre>
     *
     * Allocates only when it is made. Owned by the publisher's thread.
     */
    static final class Watermark {
        static final int MOST = 64;

        private final long[] sequences = new long[MOST];
        private final long[] numbers = new long[MOST];
        private int size;
        private long number;

        Watermark(long reached) {
            number = reached;
        }

        /** Adds a number and its sequence; both are larger than all that were added before. */
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

        /** Moves on to a sequence that the journal has reached; returns whether {@link #number} has moved. */
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

        long number() {
            return number;
        }

        boolean waits() {
            return size > 0;
        }
    }
}
