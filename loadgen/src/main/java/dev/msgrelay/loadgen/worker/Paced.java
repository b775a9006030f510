package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.message.FrameBatch;
import dev.msgrelay.loadgen.message.LoadMessage;
import dev.msgrelay.loadgen.message.Schedule;
import dev.msgrelay.loadgen.plan.Histograms;
import dev.msgrelay.loadgen.plan.Punctuality;
import dev.msgrelay.loadgen.plan.Window;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/**
 * Publishes over several connections, with a fixed rate for each. The time stamps of messages are their intended times.
 * One thread owns it.
 */
final class Paced {
    /** A message counts as late if it is sent later than this after its intended time. */
    static final long LATE_NANOS = 1_000_000;

    /** Time after the window's end in which late messages are still sent. The remaining messages are given up. */
    static final long OVERTIME_NANOS = TimeUnit.SECONDS.toNanos(5);

    /**
     * The shortest time between two writes at a high rate. Each write has all messages that are due. A write for each
     * message would wake relay and subscriber each time; with few cores, the publisher would then miss its schedule.
     */
    static final long GAP_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    private static final long FINE_NANOS = TimeUnit.MICROSECONDS.toNanos(40);

    private final PacedConnection[] connections;
    private final FrameBatch batch;
    private final Window window;
    private final InForce inForce = new InForce();
    private final Histogram lateness = Histograms.recording();
    private final LongSupplier clock;
    private long late;
    private long worstNanos;

    Paced(
            List<PublishConnection> connections,
            IntFunction<Schedule> schedules,
            Window window,
            FrameBatch batch,
            LongSupplier clock) {
        this.window = window;
        this.clock = clock;
        this.batch = batch;
        this.connections = connections.stream()
                .map(connection -> new PacedConnection(connection, schedules.apply(connection.id())))
                .toArray(PacedConnection[]::new);
    }

    /**
     * Publishes all messages that are due before the end of the window. If messages are late, this stops {@link
     * #OVERTIME_NANOS} after the end.
     */
    void publish(Waiter waiter) throws IOException {
        long due = nextDue();
        while (due < window.end()) {
            due = sendDue(waiter.awaitMoment(due));
        }
    }

    /**
     * Sends all messages that are due at {@code now}. {@link #OVERTIME_NANOS} after the window, all remaining messages
     * are given up, and count as late.
     *
     * @return the time at which the next message is due
     */
    long sendDue(long now) throws IOException {
        move(now);
        for (PacedConnection paced : connections) {
            paced.connection.note(now);
            if (now >= window.end() + OVERTIME_NANOS) {
                giveUp(paced, now);
            }
            if (paced.moment() <= now && paced.due < window.end()) {
                send(paced, now);
            }
        }
        return nextDue();
    }

    private void move(long to) {
        if (inForce.changes(window, to)) {
            late = 0;
            worstNanos = 0;
            lateness.reset();
        }
    }

    private long nextDue() {
        long due = Long.MAX_VALUE;
        for (PacedConnection paced : connections) {
            due = Math.min(due, paced.moment());
        }
        return due;
    }

    private void send(PacedConnection paced, long now) throws IOException {
        Window current = inForce.window();
        boolean measured = paced.due >= current.begin();
        // After a delay across the window's begin, messages that were due before it are written separately.
        long before = measured ? current.end() : current.begin();
        long first = paced.scheduled;
        while (batch.hasRoom(paced.stamp) && paced.due <= now && paced.due < before) {
            batch.add(paced.stamp, paced.due);
            paced.advance();
        }
        paced.rest(now);
        paced.connection.write(batch.drain(), LoadMessage.number(paced.stamp));
        if (measured) {
            noteLateness(paced, first);
        }
    }

    /** A message counts as sent when its write has returned, so a write that blocks makes the message late. */
    private void noteLateness(PacedConnection paced, long first) {
        long left = clock.getAsLong();
        for (long n = first; n < paced.scheduled; n++) {
            noteLateness(left - paced.schedule.intended(n), 1);
        }
    }

    private void giveUp(PacedConnection paced, long now) {
        paced.skipTo(window.begin());
        long oldest = paced.due;
        long left = paced.skipTo(window.end());
        if (left > 0) {
            noteLateness(now - oldest, left);
        }
    }

    private void noteLateness(long behind, long messages) {
        if (behind > LATE_NANOS) {
            late += messages;
        }
        worstNanos = Math.max(worstNanos, behind);
        lateness.recordValueWithCount(Math.min(Histograms.LONGEST_NANOS, behind), messages);
    }

    /**
     * Returns how punctual messages were within the window, after the last one. All messages that were given up
     * count as late as the first of them.
     */
    Punctuality punctuality() {
        move(window.end());
        return new Punctuality(late, worstNanos, lateness);
    }

    /** A connection, and its position in its schedule. */
    private final class PacedConnection {
        private final PublishConnection connection;
        private final Schedule schedule;
        private final long gap;
        private long stamp;
        private long scheduled;
        private long due;
        private long notBefore = Long.MIN_VALUE;

        PacedConnection(PublishConnection connection, Schedule schedule) {
            this.connection = connection;
            this.schedule = schedule;
            this.gap = schedule.intervalNanos() < FINE_NANOS ? GAP_NANOS : 0;
            this.stamp = LoadMessage.stamp(connection.id(), connection.messages());
            this.due = schedule.intended(0);
            connection.hear(window);
            connection.timedFrom(connection.messages() + schedule.firstAtOrAfter(window.begin(), 0));
        }

        /** Returns the time of the next write. A pause does not move it past the window's end. */
        long moment() {
            return due >= window.end() ? due : Math.min(Math.max(due, notBefore), window.end() - 1);
        }

        /** Starts the pause after a write, unless messages are still due. */
        void rest(long now) {
            notBefore = due <= now ? due : now + gap;
        }

        void advance() {
            stamp++;
            due = schedule.intended(++scheduled);
        }

        /** Skips all messages that are due before {@code end}. */
        long skipTo(long end) {
            long first = scheduled;
            scheduled = schedule.firstAtOrAfter(end, scheduled);
            due = schedule.intended(scheduled);
            return scheduled - first;
        }
    }
}
