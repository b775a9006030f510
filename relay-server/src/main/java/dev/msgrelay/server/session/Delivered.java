package dev.msgrelay.server.session;

import dev.msgrelay.server.log.Mark;

/**
 * What a subscriber has been handed: the difference of two cursors while it gets everything, a count while it gets some.
 * Written by the session's thread, read by reports: around a jump of the cursor they may see a wrong sum for a moment.
 */
final class Delivered {
    private volatile long messages;
    private volatile long bytes;
    private volatile long fromSequence;
    private volatile long fromPosition;
    private volatile boolean everything = true;

    /** From here on it gets everything. */
    void everythingFrom(Mark mark) {
        fromSequence = mark.sequence();
        fromPosition = mark.position();
        everything = true;
    }

    /** Up to here it has got everything: what follows is counted, or starts elsewhere. */
    void upTo(Mark mark) {
        if (everything) {
            everything = false;
            messages += mark.sequence() - fromSequence;
            bytes += mark.position() - fromPosition;
        }
    }

    /** Whether it gets everything at present. */
    boolean everything() {
        return everything;
    }

    /** Single ones. */
    void add(int moreMessages, long moreBytes) {
        messages += moreMessages;
        bytes += moreBytes;
    }

    long messages(long sequenceNow) {
        return messages + (everything ? Math.max(0, sequenceNow - fromSequence) : 0);
    }

    long bytes(long positionNow) {
        return bytes + (everything ? Math.max(0, positionNow - fromPosition) : 0);
    }
}
