package dev.msgrelay.server.journal.recover;

/** Gets the progress of a look at a journal's directory, on the thread that looks. */
public interface RecoveryProgress {
    RecoveryProgress NOBODY = (segments, of) -> {};

    /** {@code segments} of all were looked at. */
    void looked(int segments, int of);
}
