package dev.msgrelay.server.subscribe;

import dev.msgrelay.server.stream.Mark;

/**
 * Chooses the messages for one socket, and writes them, one write at a time. Owned by the subscriber's thread.
 */
interface Feed {
    /** The result of {@link Feed#next}. */
    enum Outcome {
        /** No more can be sent now: there are no bytes, no memory, or the socket has not taken all of the write. */
        WAIT,
        /** The socket has taken all of the write. */
        SENT,
        /** None of the checked messages has a wanted type. The reader has passed them. */
        MOVED,
        /** The log no longer has the next message. */
        OVERTAKEN
    }

    /**
     * Writes the next bytes after the reader's position, about {@link SendGroup#WRITE_BYTES} at most. Called only while
     * nothing is in flight.
     *
     * @param least the fewest bytes of a write, rounded to whole segments
     * @param everything whether to write even if there are fewer bytes than {@code least}
     */
    Outcome next(Mark head, int least, boolean everything);

    /** Writes the rest of the begun frame, which is pinned; returns whether the socket has taken all of it. */
    boolean finish();

    /** Called when the socket has taken all of a write. Moves the reader on, and calls {@link Delivery#count}. */
    void written();

    /** Called between two frames, when the reader has jumped to another position. */
    default void jumped() {}

    /** Called when a control frame has told the client the number of the next message. */
    default void clientCountsFrom(long next) {}

    /** Returns whether the client knows that the next message has this number, if it gets numbers at all. */
    default boolean isCounted(long next) {
        return true;
    }

    /** Gives the feed's memory back. The feed sends nothing afterwards. */
    default void release() {}
}
