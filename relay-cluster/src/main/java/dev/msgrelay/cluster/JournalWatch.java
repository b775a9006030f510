package dev.msgrelay.cluster;

import java.util.concurrent.TimeUnit;

/**
 * Judges whether the node's journal still gets to its disk. A node whose journal does not is of use to nobody: it would
 * fill its memory with bytes that it cannot write, and then hold back all others.
 *
 * <p>For one thread.
 */
final class JournalWatch {
    /** Time without a force after which one is asked for: by itself a journal may leave it for an hour. */
    static final long ASK_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Time without a force, asked for or not, after which the node ends. */
    static final long END_NANOS = TimeUnit.SECONDS.toNanos(15);

    /** Judgement on the journal. */
    enum Verdict {
        FINE,
        ASK,
        END
    }

    private long forced = -1;
    private long sinceNanos;
    // Whether a force was asked for, and when: a journal that nobody asks may rest.
    private long askedNanos;
    private boolean asked;

    /**
     * Judges the journal, a few times a second.
     *
     * @param appended end of the stream that the relay has
     * @param itsForced position up to which that is on the disk
     */
    Verdict judge(long appended, long itsForced, long nanos) {
        if (itsForced >= appended || itsForced != forced) {
            forced = itsForced;
            sinceNanos = nanos;
            asked = false;
            return Verdict.FINE;
        }
        if (nanos - sinceNanos < ASK_NANOS) {
            return Verdict.FINE;
        }
        if (!asked) {
            asked = true;
            askedNanos = nanos;
        }
        return nanos - askedNanos < END_NANOS - ASK_NANOS ? Verdict.ASK : Verdict.END;
    }
}
