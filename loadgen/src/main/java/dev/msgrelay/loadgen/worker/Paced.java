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

/** Publishes over all connections at a fixed rate each; time stamps are the intended times. One thread owns it. */
final class Paced {
    /** A message that leaves later than this after its intended time is counted as late. */
    static final long LATE_NANOS = 1_000_000;

    /** Time after the window until which late messages are sent; the rest is given up. */
    static final long OVERTIME_NANOS = TimeUnit.SECONDS.toNanos(5);

    /**
     * The least time between two writes of a fine schedule, each with all due messages. A write for each message would
     * wake relay and subscriber each time, and on few cores keep the publisher from its schedule.
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

    /** Publishes all messages that are due before the end of the window, as far as a little more time allows. */
    void publish(Waiter waiter) throws IOException {
        long due = nextDue();
        while (due < window.end()) {
            due = sendDue(waiter.awaitMoment(due));
        }
    }

    /**
     * Sends all messages that are due by {@code now}, and returns the time at which the next one is due. {@link
     * #OVERTIME_NANOS} after the window the rest is given up, and counted as late.
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

    /** Sends all due messages of a connection, in as few writes as hold them. */
    private void send(Lane lane, long now) throws IOException {
        boolean measured = lane.due >= window.begin();
        // After a stall across the begin of the window, messages of the window have a write of their own.
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

    /** A message has left when its write is done: one that waited for room is late, even if the write began in time. */
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

    /** The punctuality of the measured part; messages that never left are as late as the first one given up. */
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

        /** The time of the next write, which is before the end of the window. */
        long moment() {
            return due >= end ? due : Math.min(Math.max(due, notBefore), end - 1);
        }

        /** Begins the pause after a write, unless due messages are left. */
        void rest(long now) {
            notBefore = due <= now ? due : now + gap;
        }

        void advance() {
            stamp++;
            due = schedule.intended(++scheduled);
        }

        /** Leaves out all messages that are due before {@code end}, and returns their number. */
        long skipTo(long end) {
            long first = scheduled;
            scheduled = schedule.firstAtOrAfter(end, scheduled);
            due = schedule.intended(scheduled);
            return scheduled - first;
        }
    }
}
