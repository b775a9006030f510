package dev.msgrelay.server.subscribe;

import dev.msgrelay.server.stream.Mark;

/**
 * Chooses the messages for one socket, and writes them, one write at a time. Owned by the subscriber's thread.
 */
interface Feed {
    /** The answer of a feed that was asked for its next write. */
    enum Outcome {
        /** Nothing for now: there is nothing to send, no memory, or the socket has not taken all of the write. */
        WAIT,
        /** The socket has taken all of the write. */
        SENT,
        /** No message that the feed looked at has a wanted type; the reader has passed them. */
        MOVED,
        /** The log no longer has the next message. */
        OVERTAKEN
    }

    /**
     * Writes the next bytes after the reader's position. Only while nothing is in flight.
     *
     * @param stride the most bytes of a write, approximately
     * @param least the fewest bytes of a write, rounded to whole segments
     * @param everything whether to write even if there are fewer bytes than {@code least}
     */
    Outcome next(Mark head, int stride, int least, boolean everything);

    /** Writes the rest of the begun frame, which is pinned; returns whether the socket has taken all of it. */
    boolean finish();

    /** Called when the socket has taken all of a write. Moves the reader on, and calls {@link Delivery#count}. */
    void written();

    /** Called when the reader has moved elsewhere, between two frames. */
    default void jumped() {}

    /** Called when the client has been told the number of the next message, and counts from there. */
    default void clientCountsFrom(long next) {}

    /** Gives the feed's memory back; the feed sends nothing any more. */
    default void release() {}
}
