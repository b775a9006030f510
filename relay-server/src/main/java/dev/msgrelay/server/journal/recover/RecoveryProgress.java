package dev.msgrelay.server.journal.recover;

/** Receives the progress while a journal is opened. Called on the thread that opens the journal. */
public interface RecoveryProgress {
    RecoveryProgress NOBODY = (segments, of) -> {};

    /** So far {@code segments} of the journal's {@code of} segments were inspected. */
    void looked(int segments, int of);
}
