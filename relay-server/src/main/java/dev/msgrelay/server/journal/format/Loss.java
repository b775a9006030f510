package dev.msgrelay.server.journal.format;

/**
 * Messages that a journal had and has no more, and why.
 *
 * @param position of the first message
 * @param sequence number of the first message; 0: it is not known
 * @param endPosition behind the last message
 * @param endSequence number of the next message that is there
 * @param why the reason in words, with the file
 */
public record Loss(long position, long sequence, long endPosition, long endSequence, String why) {
    /** Such as {@code messages 8 to 12 (positions 100 to 350): 000.index: record 3 is damaged}. */
    public String description() {
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
