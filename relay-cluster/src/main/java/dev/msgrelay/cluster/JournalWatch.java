package dev.msgrelay.cluster;

import java.util.concurrent.TimeUnit;

/**
 * Whether the node's journal still gets to its disk. A node whose journal does not is of use to nobody: it would fill its memory
 * with what it cannot write, and then hold back all others.
 *
 * <p>For one thread.
 */
final class JournalWatch {
    /** Where nothing was forced for so long, somebody asks for it: by itself a journal may leave it for an hour. */
    static final long ASK_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Where that brought nothing either, the node ends: counted from when something was forced last. */
    static final long END_NANOS = TimeUnit.SECONDS.toNanos(15);

    /** What is to be done. */
    enum Verdict {
        FINE,
        ASK,
        END
    }

    private long forced = -1;
    private long sinceNanos;
    // Somebody has asked; a journal that nobody asked may rest.
    private long askedNanos;
    private boolean asked;

    /**
     * A look at the journal, a few times a second.
     *
     * @param appended where the stream ends that the relay has
     * @param itsForced up to where it is on the disk
     */
    Verdict look(long appended, long itsForced, long nanos) {
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
