package dev.msgrelay.server.fanout;

/** The outcome of one step of a subscriber's stream: what its feed, its way from the journal, or its policy says comes next. */
enum Step {
    /** Nothing just now: there is nothing to send, no memory, or the socket has not taken all of the last write. */
    WAIT,
    /** The step is done: the next one may follow at once. */
    AGAIN,
    /** The log no longer holds what comes next. A feed says so; the policy then names one of the steps below. */
    OVERTAKEN,
    /** Messages are missing, and the reader stands behind them: {@link Delivery#gap} names them. */
    GAP,
    /** The subscriber is cut off: {@link Allowance#tooSlow} says why. */
    TOO_SLOW,
    /** The stream goes on in the journal, on the loop that may wait for the disk. */
    JOURNAL,
    /** The stream goes on in the log, on a loop that does not wait for the disk. */
    LOG
}
