package dev.msgrelay.server.session;

import java.util.Locale;

/** What happens to a subscriber when the log is about to overwrite what it has not read. */
public enum SlowSubscriberPolicy {
    /** It is disconnected; nobody else notices. */
    DISCONNECT,
    /** Publishers wait, as long as it makes progress. */
    BACKPRESSURE,
    /** It jumps to the newest packets and misses what lies between. */
    SKIP;

    /** The name as it is written on the command line. */
    public String flag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
