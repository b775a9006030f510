package dev.msgrelay.server.figures;

/**
 * The stream that a relay found in its journal as it started.
 *
 * @param startSequence number of the oldest message that is held
 * @param endSequence number behind the newest one; equal to the start: there are no messages yet
 * @param cutSequence number of the first message of the torn tail that was cut off
 * @param cutEndSequence number behind the last one; equal to {@code cutSequence}: no message was cut off
 */
public record RecoveredJournal(long startSequence, long endSequence, long cutSequence, long cutEndSequence) {
    public long cutMessages() {
        return cutEndSequence - cutSequence;
    }
}
