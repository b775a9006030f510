package dev.msgrelay.server.session;

import dev.msgrelay.server.loop.RelayLoop;

/** The work of a loop that does not poll the ring: send to its own subscribers. */
public final class GroupWork implements RelayLoop.Work {
    private final SubscriberGroup group;

    public GroupWork(SubscriberGroup group) {
        this.group = group;
    }

    @Override
    public boolean run() {
        group.pump(true);
        return false;
    }

    @Override
    public boolean pending() {
        return group.pending();
    }
}
