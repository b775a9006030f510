package dev.msgrelay.server.assembly;

import dev.msgrelay.server.subscribe.SendGroup;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.function.Consumer;

/** The groups of subscribers of all loops that send: the core's own, and those of others. */
final class SendLoops {
    // The groups of live subscribers, one for each loop that may send to them, the core's first.
    private final SendGroup[] groups;
    // The same, and the group of subscribers that are sent the journal, if there is a journal.
    private final SendGroup[] all;
    // The groups that subscribers are placed in: all but the core's, if there are any.
    private final SendGroup[] senders;

    /** @param replays group of subscribers that are sent the journal; null: nobody is */
    SendLoops(SendGroup[] groups, SendGroup replays) {
        this.groups = groups;
        this.senders = groups.length == 1 ? groups : Arrays.copyOfRange(groups, 1, groups.length);
        this.all = replays == null ? groups : Arrays.copyOf(groups, groups.length + 1);
        if (replays != null) {
            all[groups.length] = replays;
        }
    }

    /**
     * Gives the loops beside the core their duties. A loop that sends the journal ticks by itself, as it may wait for
     * the disk.
     */
    void start(long tickMillis, Consumer<Throwable> failure) {
        for (int i = 1; i < all.length; i++) {
            all[i].loop().duty(all[i], failure);
            if (i >= groups.length) {
                all[i].loop().every(tickMillis, all[i]::tick);
            }
        }
    }

    /**
     * Places a subscriber: as it connects, and each time it comes back from a replay. Any thread.
     *
     * @return the group with the fewest subscribers, in which one more seat is taken now
     */
    synchronized SendGroup place() {
        return Collections.min(Arrays.asList(senders), Comparator.comparingInt(SendGroup::seats))
                .takeSeat();
    }

    SendGroup own() {
        return groups[0];
    }

    /** Whether other loops send the live stream as well. */
    boolean hasOthers() {
        return groups.length > 1;
    }

    /** Wakes the loops that send the live stream: the head has moved, which a full fence has made visible. */
    void signalOthers() {
        for (int i = 1; i < groups.length; i++) {
            groups[i].signal();
        }
    }

    /** Passes the time on to the live groups, each by its own loop. */
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

    /** Has each loop send once more. */
    void pumpAll() {
        for (SendGroup group : all) {
            group.loop().io().execute(() -> group.pump(true));
        }
    }
}
