package dev.msgrelay.cluster;

import java.util.concurrent.TimeUnit;

/**
 * Judges whether the node's journal is still written to its disk. Without that the node would fill its memory, and then
 * hold the whole cluster back. For one thread.
 */
final class JournalWatch {
    /**
     * Time without a force until one is requested, and room for it: a journal may force only once an hour by itself,
     * and may wait for the state's snapshot.
     */
    static final long ASK_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Time without a force until the node ends. */
    static final long END_NANOS = TimeUnit.SECONDS.toNanos(15);

    enum Verdict {
        FINE,
        ASK,
        END
    }

    private long forced = -1;
    private long sinceNanos;
    // Whether a force was requested, and when.
    private long askedNanos;
    private boolean asked;

    /**
     * Judges the journal, a few times a second.
     *
     * @param appended end of the relay's stream
     * @param itsForced position up to which the stream is on the disk
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
