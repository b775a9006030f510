package dev.msgrelay.server.journal;

import dev.msgrelay.server.figures.TimeHistogram.Times;

/**
 * The figures of a journal.
 *
 * @param freeBytes bytes that are free on the disk; -1: not known
 * @param fullNanos time for which the disk was full
 * @param unpreparedNanos time for which the writer waited for the files of a segment
 */
public record JournalStats(
        int segments, long fileBytes, long freeBytes, long fullNanos, long unpreparedNanos, Times forces) {}
