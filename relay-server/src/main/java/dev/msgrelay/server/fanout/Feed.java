package dev.msgrelay.server.fanout;

import dev.msgrelay.server.log.Mark;

/**
 * What of the stream a subscriber gets, and how it comes to its socket: write by write, one in flight at most. Owned by the
 * subscriber's thread.
 */
interface Feed {
    /** What came of an attempt to send. */
    enum Sent {
        /** There is nothing to send now, or the socket has not taken all of it. */
        WAIT,
        /** The socket has taken it: it is worth asking again. */
        DONE,
        /** The log no longer holds what comes next. */
        OVERTAKEN
    }

    /**
     * Sends what lies between the reader and the head. Only while nothing is in flight.
     *
     * @param stride about the most to send, in bytes
     * @param least about the least to send, in whole segments, unless everything goes
     * @param everything whether to send what is less, too
     */
    Sent next(Mark head, int stride, int least, boolean everything);

    /** Sends the rest up to the next frame boundary, which is held. Answers whether the socket has taken it. */
    boolean finish();

    /** The write in flight is done. */
    void written();

    /** Messages that the writes so far have brought; exact between two frames, otherwise some less. */
    long messages();

    /** Their bytes. */
    long bytes();

    /** The reader stands elsewhere, between two frames. */
    default void jumped() {}

    /** The subscriber has been told that this is the number of the next message. */
    default void told(long next) {}

    /** Lets go of its memory; nothing is sent any more. */
    default void release() {}
}
