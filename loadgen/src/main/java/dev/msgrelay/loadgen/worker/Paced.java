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
 * Publishes over all connections of this process at a fixed rate each, open loop: the schedule does not wait for
 * anything, and time stamps are the intended times. One thread owns all of it.
 */
final class Paced {
    /** A message that leaves later than this after its intended time is counted as late. */
    static final long LATE_NANOS = 1_000_000;

    /** So long after the window, what has not left is not sent any more: it could only say once more how late it is. */
    static final long OVERTIME_NANOS = TimeUnit.SECONDS.toNanos(5);

    /**
     * Of a schedule finer than this, all that is due goes out in one write at most so often. A write for each message would
     * wake relay and subscriber for each, and on few cores they would keep the publisher from its schedule.
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

    /** @param clock {@link System#nanoTime}, read after each write */
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

    /** Publishes everything that is due before the end of the window, or what of it can be in a little more time. */
    void publish(Waiter waiter) throws IOException {
        long due = nextDue();
        while (due < window.end()) {
            due = sendDue(waiter.awaitMoment(due));
        }
    }

    /**
     * Sends everything that is due by {@code now}; returns when the next message is due. {@link #OVERTIME_NANOS} after
     * the window the rest is given up, and counted as late.
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

    /** All that is due on this connection by now goes out in one write, or in as few as hold it. */
    private void send(Lane lane, long now) throws IOException {
        boolean measured = lane.due >= window.begin();
        // After a stall across the begin of the window, what was due in it has a write of its own.
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

    /** A message has left when its write is done: one that had to wait for room is late however timely it began. */
    private void noteLateness(Lane lane, long first) {
        long left = clock.getAsLong();
        for (long n = first; n < lane.scheduled; n++) {
            noteLateness(left - lane.schedule.intended(n), 1);
        }
    }

    /** The rest of this connection's schedule never leaves. */
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
     * How well the measured part kept its schedule; messages that never left are as late as the first of them was when it was
     * given up.
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

        /** When the next write is to be made: all that is due before the end has left by then. */
        long moment() {
            return due >= end ? due : Math.min(Math.max(due, notBefore), end - 1);
        }

        /** After a write, unless it could not hold all that was due. */
        void rest(long now) {
            notBefore = due <= now ? due : now + gap;
        }

        void advance() {
            stamp++;
            due = schedule.intended(++scheduled);
        }

        /** Leaves out all that is due before {@code end}; returns how many messages that were. */
        long skipTo(long end) {
            long first = scheduled;
            scheduled = schedule.firstAtOrAfter(end, scheduled);
            due = schedule.intended(scheduled);
            return scheduled - first;
        }
    }
}
