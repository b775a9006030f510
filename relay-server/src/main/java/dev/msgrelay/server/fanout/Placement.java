package dev.msgrelay.server.fanout;

import java.util.Arrays;

/**
 * Places a subscriber on the sending loop with the fewest, once, when it becomes live: as it connects, and after a replay. A
 * single loop sends itself; the first one of several leaves sending to the others. Any thread.
 */
public final class Placement {
    private final SendGroup[] senders;

    /** @param groups one a loop, the core's first */
    public Placement(SendGroup[] groups) {
        senders = groups.length == 1 ? groups.clone() : Arrays.copyOfRange(groups, 1, groups.length);
    }

    /** Returns the group with the fewest subscribers, in which one more seat is taken now. */
    public synchronized SendGroup place() {
        SendGroup fewest = senders[0];
        for (SendGroup sender : senders) {
            if (sender.seats() < fewest.seats()) {
                fewest = sender;
            }
        }
        return fewest.takeSeat();
    }
}
