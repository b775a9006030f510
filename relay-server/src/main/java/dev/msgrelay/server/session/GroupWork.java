package dev.msgrelay.server.session;

import dev.msgrelay.server.loop.RelayLoop;

/** The work of a loop that does not poll the ring: send to its own subscribers. */
public final class GroupWork implements RelayLoop.Work {
    private final SubscriberGroup group;
    private final Intake intake;

    public GroupWork(SubscriberGroup group, Intake intake) {
        this.group = group;
        this.intake = intake;
    }

    @Override
    public boolean run() {
        boolean readsMore = intake.takeMoreExpected();
        group.pump(true);
        return readsMore;
    }

    @Override
    public boolean pending() {
        return group.pending();
    }
}
