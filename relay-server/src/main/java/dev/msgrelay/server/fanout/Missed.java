package dev.msgrelay.server.fanout;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.server.ops.Counter;
import dev.msgrelay.server.session.Services;
import dev.msgrelay.server.session.Session;
import dev.msgrelay.server.session.SessionState;

/** The messages that a subscriber does not get: counted, told to it, and logged once. Owned by the subscriber's thread. */
final class Missed {
    private final Services services;
    private final Session session;
    private boolean logged;

    Missed(Services services, Session session) {
        this.services = services;
        this.session = session;
    }

    /** Counts messages that the subscriber does not get, and tells it; a plain one cannot be told, and may end by that. */
    void tell(Gap gap) {
        boolean slow = gap.reason() == GapReason.SLOW;
        String what = "messages " + gap.from() + " to " + gap.to();
        if (!logged) {
            logged = true;
            String text = slow
                    ? " is too slow: it skips " + what
                    : " misses " + what + ", " + gap.reason().text();
            String line = session.who() + text + " (logged once, counted always)";
            services.closes().warn(CloseReason.SLOW_SUBSCRIBER, services.clock().nanoTime(), line);
        }
        Counter counter = slow ? Counter.MESSAGES_SKIPPED : Counter.JOURNAL_REPLAY_MISSED;
        services.counters().add(counter, gap.to() - gap.from() + 1);
        if (session.state() == SessionState.OPEN) {
            session.dialogue().outbox().gap(gap.from(), gap.to(), gap.reason());
        } else if (!slow) {
            // A plain subscriber cannot be told, and was to get them all.
            session.close(
                    CloseReason.SLOW_SUBSCRIBER, what + " are " + gap.reason().text());
        }
    }
}
