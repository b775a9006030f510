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

    /** Of a process that has gone: lets go of the log, and of nothing else. */
    public static void letGo(Journal journal) {
        journal.letGo();
    }
}
