package dev.msgrelay.server.journal;

/** A journal without its threads, for tests of other packages: they do the steps. */
public final class JournalSteps {
    private JournalSteps() {}

    /** One step of the writer; answers whether it did something. */
    public static boolean write(Journal journal, long nanos, long millis) {
        return journal.write(nanos, millis);
    }

    /** One step of the forcer; answers whether it did something. */
    public static boolean force(Journal journal, long nanos, long millis) {
        return journal.force(nanos, millis);
    }

    /** Releases the log, and leaves files and lock as the end of a process does. */
    public static void releaseLog(Journal journal) {
        journal.releaseLog();
    }
}
