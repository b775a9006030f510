package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.load.SizeTable;

/**
 * What a subscriber is to expect and to record.
 *
 * @param publishers how many must be heard of and are checked, or {@link #COUNT_ONLY}
 * @param sizes of all messages
 * @param sampling one in so many messages has its latency recorded; a power of two
 * @param arrivals messages whose arrival is noted at most
 * @param publishersAhead nanoseconds that the publishers' clock is ahead of this host's
 */
record Expected(int publishers, SizeTable sizes, int sampling, int arrivals, long publishersAhead) {
    /** In place of a number of publishers: check nothing, only walk the frames. */
    static final int COUNT_ONLY = -1;

    Expected {
        if (Integer.bitCount(sampling) != 1) {
            throw new IllegalArgumentException("sampling " + sampling + " is not a power of two");
        }
    }

    boolean countOnly() {
        return publishers == COUNT_ONLY;
    }
}
