package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.load.FrameBatch;
import dev.msgrelay.loadgen.load.Schedule;
import java.io.IOException;
import java.util.List;

/**
 * Publishes over all connections of this process at a fixed rate each, open loop: the schedule does not wait for
 * anything, and time stamps are the intended times. One thread owns all of it.
 */
final class Paced {
    /** A message that leaves later than this after its intended time is counted as late. */
    static final long LATE_NANOS = 1_000_000;

    private final Lane[] lanes;
    private final Window window;
    private long late;
    private long worstNanos;

    /**
     * @param total connections of the whole run, over which the phases are spread
     */
    Paced(List<PublishConnection> connections, Window window, int rate, int total) {
        this.window = window;
        this.lanes = connections.stream()
                .map(c -> new Lane(c, Schedule.staggered(window.sendFrom(), rate, c.id(), total)))
                .toArray(Lane[]::new);
    }

    /** Publishes everything that is due before the end of the window. */
    void publish(Waiter waiter) throws IOException {
        long due = nextDue();
        while (due < window.end()) {
            due = sendDue(waiter.awaitMoment(due));
        }
    }

    /** Sends everything that is due by {@code now}; returns when the next message is due. */
    long sendDue(long now) throws IOException {
        for (Lane lane : lanes) {
            if (lane.due >= window.begin()) {
                lane.connection.noteBegin();
            }
            if (lane.due <= now && lane.due < window.end()) {
                send(lane, now);
            }
        }
        return nextDue();
    }

    private long nextDue() {
        long due = Long.MAX_VALUE;
        for (Lane lane : lanes) {
            due = Math.min(due, lane.due);
        }
        return due;
    }

    /** All that is due on this connection by now goes out in one write, or in as few as hold it. */
    private void send(Lane lane, long now) throws IOException {
        FrameBatch batch = lane.batch;
        while (lane.due <= now && lane.due < window.end() && !batch.isFull()) {
            if (lane.due >= window.begin()) {
                noteLateness(now - lane.due);
            }
            batch.add(lane.number++, lane.due);
            lane.advance();
        }
        lane.connection.write(batch.take(), lane.number);
    }

    private void noteLateness(long behind) {
        if (behind > LATE_NANOS) {
            late++;
        }
        worstNanos = Math.max(worstNanos, behind);
    }

    /** Messages of the measured part that left more than {@link #LATE_NANOS} after their intended time. */
    long late() {
        return late;
    }

    /** How long after its intended time the latest of them left. */
    long worstNanos() {
        return worstNanos;
    }

    /** One connection with its schedule. */
    private static final class Lane {
        private final PublishConnection connection;
        private final Schedule schedule;
        private final FrameBatch batch;
        private long number;
        private long scheduled;
        private long due;

        Lane(PublishConnection connection, Schedule schedule) {
            this.connection = connection;
            this.schedule = schedule;
            this.batch = new FrameBatch(
                    connection.id(), connection.bodyLength(), FrameBatch.capacityFor(connection.bodyLength()));
            this.number = connection.messages();
            this.due = schedule.intended(0);
        }

        void advance() {
            due = schedule.intended(++scheduled);
        }
    }
}
