package dev.msgrelay.server.subscribe;

import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.state.StateDesk;
import dev.msgrelay.server.stream.PacketLog;
import dev.msgrelay.server.stream.WindowGate;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The parts of a relay that all its subscribers share.
 *
 * @param logBytes size of the log, which limits the lag of a live subscriber
 * @param stallNanos longest time that a subscriber may make no progress while publishers or subscribers wait for it
 * @param replays empty if subscribers are not sent the journal
 * @param state empty if the relay does not keep the newest message of each type
 * @param conflateBytes lag after which a subscriber with the policy LATEST gets the state instead of the stream
 * @param seats chooses the group of a subscriber that connects or has caught up, and counts the subscriber there
 * @param elsewhere whether other relays send the same stream, so clients may have messages that are not here yet
 */
public record FanoutParts(
        PacketLog log,
        DurableEnds durable,
        long logBytes,
        WindowGate gate,
        long stallNanos,
        Optional<Replays> replays,
        Optional<StateDesk> state,
        int conflateBytes,
        Supplier<SendGroup> seats,
        boolean elsewhere) {
    /** The parts for subscribers that are sent the journal. The loop of {@code group} may wait for the disk. */
    public record Replays(Journal journal, ReplayPages pages, SendGroup group) {}
}
