package dev.msgrelay.loadgen.plan;

/**
 * The start of a run and its measured part, as times of {@link System#nanoTime}. All processes know it in advance, so
 * that all rates are measured over the same time.
 *
 * <pre>
 *  primed        sendFrom             begin                               end
 *  --------------|------ warm-up -----|------------ measured -------------|--- drain ---&gt;
 * </pre>
 */
public record Window(long sendFrom, long begin, long end) {
    /** The value before the controller has sent the window. */
    public static final Window NONE = new Window(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);

    /**
     * Returns a window within the warm-up for which everything is done as for this one, and what it gives is thrown
     * away. So the just-in-time compiler has seen all of that code before the measured part, and does not compile the
     * busiest loops within it.
     */
    public Window rehearsal() {
        long half = (begin - sendFrom) / 2;
        return new Window(sendFrom, sendFrom + half / 2, sendFrom + half);
    }

    public long measuredNanos() {
        return end - begin;
    }

    /** Counts the messages and bytes of one connection within a window. The connection's thread owns it. */
    public static final class Count {
        private static final long NOT_YET = -1;

        private long messagesAtBegin = NOT_YET;
        private long bytesAtBegin;
        private long messagesAtEnd = NOT_YET;
        private long bytesAtEnd;

        /**
         * Stores the counts at the first call within the window, and at the first call after it.
         *
         * @param messages number of messages before {@code now}
         * @return whether the window begins with this call
         */
        public boolean note(long now, Window window, long messages, long bytes) {
            if (now < window.begin || messagesAtEnd != NOT_YET) {
                return false;
            }
            boolean begins = messagesAtBegin == NOT_YET;
            if (begins) {
                messagesAtBegin = messages;
                bytesAtBegin = bytes;
            }
            if (now >= window.end) {
                messagesAtEnd = messages;
                bytesAtEnd = bytes;
            }
            return begins;
        }

        /** Returns the number of messages before the window; {@code messages} if the window has not begun. */
        public long before(long messages) {
            return messagesAtBegin == NOT_YET ? messages : messagesAtBegin;
        }

        /** Returns the number of messages within the window. */
        public long messages(long all) {
            return messagesAtBegin == NOT_YET ? 0 : (messagesAtEnd == NOT_YET ? all : messagesAtEnd) - messagesAtBegin;
        }

        public long bytes(long all) {
            return messagesAtBegin == NOT_YET ? 0 : (messagesAtEnd == NOT_YET ? all : bytesAtEnd) - bytesAtBegin;
        }
    }
}
