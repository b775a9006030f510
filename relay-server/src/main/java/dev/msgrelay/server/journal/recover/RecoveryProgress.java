package dev.msgrelay.server.journal.recover;

/** Gets the progress of a look at a journal's directory. */
public interface RecoveryProgress {
    RecoveryProgress NOBODY = (segments, of) -> {};

    /** {@code segments} of all were looked at. Called by the thread that looks. */
    void looked(int segments, int of);
}
