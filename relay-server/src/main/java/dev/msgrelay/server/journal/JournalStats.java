package dev.msgrelay.server.journal;

import java.util.List;

/**
 * The figures of a journal.
 *
 * @param segments number of segments that are held
 * @param fileBytes bytes of their files
 * @param freeBytes bytes that are free on the disk; -1: not known
 * @param fullNanos time for which the disk was full
 * @param unpreparedNanos time for which the writer waited for the files of a segment
 * @param forcesUpTo number of forces by their time: up to each of {@link #BOUNDS}, and at last those beyond
 * @param forceNanos time of all forces
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
