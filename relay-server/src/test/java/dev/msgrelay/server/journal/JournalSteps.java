package dev.msgrelay.server.journal;

/** A journal without its threads, for tests of other packages: they do the steps. */
public final class JournalSteps {
    private JournalSteps() {}

    public static boolean write(Journal journal, long nanos, long millis) {
        return journal.write(nanos, millis);
    }

    public static boolean force(Journal journal, long nanos, long millis) {
        return journal.force(nanos, millis);
    }

    public static void releaseLog(Journal journal) {
        journal.releaseLog();
    }
}
