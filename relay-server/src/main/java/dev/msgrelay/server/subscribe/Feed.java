package dev.msgrelay.server.subscribe;

import dev.msgrelay.server.stream.Mark;

/**
 * The choice and the form of the messages that go to one socket; write by write, one in flight at most. Owned by the
 * subscriber's thread.
 */
interface Feed {
    /** Takes the messages and bytes that the socket has taken, once the reader is behind them. */
    interface Sent {
        void count(long messages, long bytes);
    }

    /** The answer of a feed that was asked for its next write. */
    enum Outcome {
        /** Nothing for now: there is nothing to send, no memory, or the socket has not taken all of the write. */
        WAIT,
        /** The socket has taken all of the write. */
        SENT,
        /** No message was of a type that is wanted; the reader has moved over them. */
        MOVED,
        /** The log no longer has what comes next. */
        OVERTAKEN
    }

    /**
     * Sends what lies between the reader and the head. Only while nothing is in flight.
     *
     * @param stride about the most to send, in bytes
     * @param least about the least to send, in whole segments, unless everything goes
     * @param everything whether to send what is less, too
     */
    Outcome next(Mark head, int stride, int least, boolean everything);

    /** Sends the rest up to the next frame boundary, which is held; returns whether the socket has taken all of it. */
    boolean finish();

    /** Called when the socket has taken all of a write: {@link Sent#count}s what that has brought. */
    void written();

    /** Called when the reader has moved elsewhere, between two frames. */
    default void jumped() {}

    /** Called when the client has been told the number of the next message: it counts from there. */
    default void clientCountsFrom(long next) {}

    /** Gives the feed's memory back; nothing is sent any more. */
    default void release() {}
}
