package dev.msgrelay.server.subscribe;

import dev.msgrelay.server.connection.EngineLoop;

/**
 * A subscriber's seat: the group that sends to it, and the way from one group to another. A seat is counted from the moment in
 * which a group is chosen, so that two choices do not take the same one. A sending group is chosen when a subscriber
 * connects, and anew each time it comes back from the journal.
 *
 * <p>Owned by the subscriber's thread.
 */
final class Seat {
    private final SendGroup.Member subscriber;
    // Null while the channel is on its way from one loop to another.
    private SendGroup group;
    // The group that counts the seat; null before there is one.
    private SendGroup counted;
    private boolean closed;

    Seat(SendGroup.Member subscriber) {
        this.subscriber = subscriber;
    }

    /** Takes the seat in its first group, which counts it already; returns that one's loop. */
    EngineLoop take(SendGroup first) {
        group = first;
        countedBy(first);
        return first.loop();
    }

    private void countedBy(SendGroup other) {
        if (counted != null) {
            counted.leaveSeat();
        }
        counted = other;
        if (closed) {
            // The channel is closed already, as its handlers are told next.
            free();
        }
    }

    void enter() {
        group.add(subscriber);
    }

    FilterBuffers buffers() {
        return group.buffers;
    }

    boolean isIn(SendGroup other) {
        return group == other;
    }

    /**
     * Moves to the loop of another group; only while no write is in flight. Until the channel has arrived there nothing is sent. The
     * work that this loop may still do meanwhile, reads and a close, it does before the other one begins.
     *
     * @param to counts the seat already
     */
    void moveTo(SendGroup to) {
        countedBy(to);
        if (closed) {
            return;
        }
        group.remove(subscriber);
        group = null;
        subscriber.session().moveTo(to.loop(), () -> {
            if (subscriber.isServed()) {
                group = to;
                enter();
            }
            // Words that were said on the way, if only the last ones: nobody watches the socket for them any more.
            subscriber.session().channel().flush();
        });
    }

    void leave() {
        if (group != null) {
            group.remove(subscriber);
        }
    }

    /** The channel is closed: the seat is free. */
    void free() {
        closed = true;
        if (counted != null) {
            counted.leaveSeat();
            counted = null;
        }
    }
}
