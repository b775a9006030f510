package dev.msgrelay.server.journal.recover;

/** Gets the progress while a journal is opened, on the opening thread. */
public interface RecoveryProgress {
    RecoveryProgress NOBODY = (segments, of) -> {};

    /** Of the journal's {@code of} segments, {@code segments} were inspected. */
    void looked(int segments, int of);
}
