package dev.msgrelay.server.journal.read;

/**
 * The journal's clock as it is now.
 *
 * @param base of the newest segment; -1: there is none
 * @param skew steps since the header of that segment was written
 * @param time of the newest record
 */
public record PresentClock(long base, long skew, long time) {}
