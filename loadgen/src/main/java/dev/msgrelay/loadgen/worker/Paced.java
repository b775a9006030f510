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

    /** Time after the window's end in which late messages are still sent. The rest is given up. */
    static final long OVERTIME_NANOS = TimeUnit.SECONDS.toNanos(5);

    /**
     * The shortest time between two writes at a high rate. Each write has all messages that are due. A write for each
     * message would wake relay and subscriber each time; with few cores, the publisher would then miss its schedule.
     */
    static final long GAP_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    private static final long FINE_NANOS = TimeUnit.MICROSECONDS.toNanos(40);

    private final Lane[] lanes;
    private final FrameBatch batch;
    private final Window window;
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
        this.lanes =
                connections.stream().map(c -> lane(c, schedules.apply(c.id()))).toArray(Lane[]::new);
    }

    private Lane lane(PublishConnection connection, Schedule schedule) {
        connection.hear(window);
        connection.timedFrom(connection.messages() + schedule.firstAtOrAfter(window.begin(), 0));
        boolean fine = schedule.intervalNanos() < FINE_NANOS;
        return new Lane(connection, schedule, fine ? GAP_NANOS : 0, window.end());
    }

    /**
     * Publishes all messages that are due before the end of the window. If it is late, it stops {@link #OVERTIME_NANOS}
     * after the end.
     */
    void publish(Waiter waiter) throws IOException {
        long due = nextDue();
        while (due < window.end()) {
            due = sendDue(waiter.awaitMoment(due));
        }
    }

    /**
     * Sends all messages that are due at {@code now}. {@link #OVERTIME_NANOS} after the window it gives up the rest,
     * which counts as late.
     *
     * @return the time at which the next message is due
     */
    long sendDue(long now) throws IOException {
        for (Lane lane : lanes) {
            lane.connection.note(now);
            if (now >= window.end() + OVERTIME_NANOS) {
                giveUp(lane, now);
            }
            if (lane.moment() <= now && lane.due < window.end()) {
                send(lane, now);
            }
        }
        return nextDue();
    }

    private long nextDue() {
        long due = Long.MAX_VALUE;
        for (Lane lane : lanes) {
            due = Math.min(due, lane.moment());
        }
        return due;
    }

    private void send(Lane lane, long now) throws IOException {
        boolean measured = lane.due >= window.begin();
        // If a delay spans the begin of the window, messages of the window are written separately.
        long before = measured ? window.end() : window.begin();
        long first = lane.scheduled;
        while (batch.hasRoom(lane.stamp) && lane.due <= now && lane.due < before) {
            batch.add(lane.stamp, lane.due);
            lane.advance();
        }
        lane.rest(now);
        lane.connection.write(batch.drain(), LoadMessage.number(lane.stamp));
        if (measured) {
            noteLateness(lane, first);
        }
    }

    /** A message counts as sent when its write has returned: a write that had to wait makes a message late. */
    private void noteLateness(Lane lane, long first) {
        long left = clock.getAsLong();
        for (long n = first; n < lane.scheduled; n++) {
            noteLateness(left - lane.schedule.intended(n), 1);
        }
    }

    private void giveUp(Lane lane, long now) {
        lane.skipTo(window.begin());
        long oldest = lane.due;
        long left = lane.skipTo(window.end());
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
     * Returns how punctual messages were within the window. Messages that were given up are as late as the first of
     * them.
     */
    Punctuality punctuality() {
        return new Punctuality(late, worstNanos, lateness);
    }

    private static final class Lane {
        private final PublishConnection connection;
        private final Schedule schedule;
        private final long gap;
        private final long end;
        private long stamp;
        private long scheduled;
        private long due;
        private long notBefore = Long.MIN_VALUE;

        Lane(PublishConnection connection, Schedule schedule, long gap, long end) {
            this.connection = connection;
            this.schedule = schedule;
            this.gap = gap;
            this.end = end;
            this.stamp = LoadMessage.stamp(connection.id(), connection.messages());
            this.due = schedule.intended(0);
        }

        /** Returns the time of the next write, which is before the end of the window. */
        long moment() {
            return due >= end ? due : Math.min(Math.max(due, notBefore), end - 1);
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
