package dev.msgrelay.server.journal;

/**
 * Messages that a journal had and has no more, and why.
 *
 * @param position where they started
 * @param sequence number of the first one; 0: nobody knows
 * @param endPosition behind the last one
 * @param endSequence number of the first one behind them
 * @param why in words, with the file
 */
public record Loss(long position, long sequence, long endPosition, long endSequence, String why) {
    /** Such as {@code messages 8 to 12 (positions 100 to 350): 000.index: record 3 is damaged}. */
    public String text() {
        String messages = endPosition == position
                ? "no message"
                : sequence == 0
                        ? "all messages before " + endSequence
                        : endSequence - sequence == 1
                                ? "message " + sequence
                                : "messages " + sequence + " to " + (endSequence - 1);
        return messages + " (positions " + position + " to " + endPosition + "): " + why;
    }
}
