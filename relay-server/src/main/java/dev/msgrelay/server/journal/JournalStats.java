package dev.msgrelay.server.journal;

import java.util.List;

/**
 * What there is to say of a journal.
 *
 * @param segments that are held
 * @param fileBytes of their files
 * @param freeBytes of the disk that they lie on; -1: nobody has asked yet, or it does not say
 * @param fullNanos for which the disk was full
 * @param unpreparedNanos for which the writer waited for the files of a segment
 * @param forcesUpTo how many forces took so long: between the bound before and each of {@link #BOUNDS}; at last those beyond
 * @param forceNanos that all forces took
 */
public record JournalStats(
        int segments,
        long fileBytes,
        long freeBytes,
        long fullNanos,
        long unpreparedNanos,
        List<Long> forcesUpTo,
        long forceNanos) {
    /** The upper bounds of {@link #forcesUpTo}, in seconds. */
    public static final List<Double> BOUNDS =
            List.of(0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0);
}
