package dev.msgrelay.server.assembly;

import dev.msgrelay.server.subscribe.SendGroup;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The groups of subscribers of all loops that send, including the core's. Owned by the core's thread. */
final class SendLoops {
    // The groups of live subscribers, one for each loop that sends to them, the core's first.
    private final SendGroup[] groups;
    // The same groups, and the group of subscribers that are sent the journal.
    private final SendGroup[] all;
    // The groups that take new subscribers: all but the core's, unless there is no other.
    private final SendGroup[] senders;

    /** @param replays group of the subscribers that are sent the journal */
    SendLoops(SendGroup[] groups, Optional<SendGroup> replays) {
        this.groups = groups;
        this.senders = groups.length == 1 ? groups : Arrays.copyOfRange(groups, 1, groups.length);
        this.all = Stream.concat(Stream.of(groups), replays.stream()).toArray(SendGroup[]::new);
    }

    /** Starts the duties of all loops but the core's. The loop that sends the journal has a tick of its own. */
    void start(long tickMillis, Consumer<Throwable> failure) {
        for (int i = 1; i < all.length; i++) {
            all[i].loop().duty(all[i], failure);
            if (i >= groups.length) {
                all[i].loop().every(tickMillis, all[i]::tick);
            }
        }
    }

    /** Counts a subscriber in the group that has the fewest subscribers, and returns the group. Any thread. */
    synchronized SendGroup place() {
        return Collections.min(Arrays.asList(senders), Comparator.comparingInt(SendGroup::seats))
                .takeSeat();
    }

    SendGroup coreGroup() {
        return groups[0];
    }

    boolean hasOthers() {
        return groups.length > 1;
    }

    /** Wakes the other loops that send the live stream. The caller has made the head visible by a full fence. */
    void signalOthers() {
        for (int i = 1; i < groups.length; i++) {
            groups[i].signal();
        }
    }

    /** Ticks the live groups, each on its own loop. */
    void tick(long nowNanos) {
        groups[0].tick(nowNanos);
        for (int i = 1; i < groups.length; i++) {
            groups[i].tickThere();
        }
    }

    void durableMoved() {
        for (SendGroup group : all) {
            group.durableMoved();
        }
    }

    void pumpAll() {
        for (SendGroup group : all) {
            group.loop().io().execute(() -> group.pump(true));
        }
    }
}
