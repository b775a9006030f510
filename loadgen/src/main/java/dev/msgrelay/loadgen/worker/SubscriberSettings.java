package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.load.Check;
import dev.msgrelay.loadgen.load.SizeTable;
import dev.msgrelay.loadgen.load.TypeChoice;
import dev.msgrelay.protocol.Policy;

/**
 * How a subscriber reads, and what it checks and records.
 *
 * @param check of the messages
 * @param publishers that must be heard of and are checked
 * @param sizes of all messages
 * @param choice those of them that are to come
 * @param sampling one in so many messages has its latency recorded; a power of two
 * @param arrivals messages whose arrival is noted at most
 * @param publishersAhead nanoseconds that the publishers' clock is ahead of this host's
 * @param policy that it asks for in a HELLO, to be told what it misses; null: it says nothing
 * @param bytesPerSecond that it reads; 0: as fast as they come
 */
record SubscriberSettings(
        Check check,
        int publishers,
        SizeTable sizes,
        TypeChoice choice,
        int sampling,
        int arrivals,
        long publishersAhead,
        Policy policy,
        int bytesPerSecond) {
    SubscriberSettings {
        if (Integer.bitCount(sampling) != 1) {
            throw new IllegalArgumentException("sampling " + sampling + " is not a power of two");
        }
    }

    boolean isPlain() {
        return policy == null;
    }
}
