package dev.msgrelay.loadgen.plan;

/**
 * When a run starts and which part of it is measured, by {@link System#nanoTime}; agreed in advance by all processes,
 * so that everybody's msg/s is taken over the very same time.
 *
 * <pre>
 *  primed        sendFrom             begin                               end
 *  --------------|------ warm-up -----|------------ measured -------------|--- drain ---&gt;
 * </pre>
 *
 * @param sendFrom publishers start
 * @param begin the measured part begins
 * @param end the measured part ends, and publishers stop
 */
public record Window(long sendFrom, long begin, long end) {
    /** Measures nothing: before the controller has said when. */
    public static final Window NONE = new Window(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);

    public long measuredNanos() {
        return end - begin;
    }

    /** How many messages and bytes of one connection lie within a window. The connection's thread owns it. */
    public static final class Count {
        private static final long NOT_YET = -1;

        private long messagesAtBegin = NOT_YET;
        private long bytesAtBegin;
        private long messagesAtEnd = NOT_YET;
        private long bytesAtEnd;

        /**
         * To be told before whatever is counted next.
         *
         * @param messages and bytes so far: they belong to the time before {@code now}
         * @return whether the window has begun with this
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

        /** All that were there when the window began; as many as given where it has not. */
        public long before(long messages) {
            return messagesAtBegin == NOT_YET ? messages : messagesAtBegin;
        }

        /** The part of so many in all that came since the window began, until its end where that was noted. */
        public long messages(long all) {
            return messagesAtBegin == NOT_YET ? 0 : (messagesAtEnd == NOT_YET ? all : messagesAtEnd) - messagesAtBegin;
        }

        public long bytes(long all) {
            return messagesAtBegin == NOT_YET ? 0 : (messagesAtEnd == NOT_YET ? all : bytesAtEnd) - bytesAtBegin;
        }
    }
}
