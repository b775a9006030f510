package dev.msgrelay.server.subscribe;

import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.stream.PacketLog;
import dev.msgrelay.server.stream.WindowGate;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The parts of a relay that all its subscribers share.
 *
 * @param logBytes that a subscriber may be behind
 * @param stallNanos that a subscriber may stand still while publishers or subscribers wait for it
 * @param replays without them subscribers are not sent the journal
 * @param seats takes a seat for a subscriber that connects, or has caught up
 * @param elsewhere whether other relays have the stream: a subscriber may have had more of it there than is here yet
 */
public record FanoutParts(
        PacketLog log,
        DurableEnds durable,
        long logBytes,
        WindowGate gate,
        long stallNanos,
        Optional<Replays> replays,
        Supplier<SendGroup> seats,
        boolean elsewhere) {
    /** The parts for subscribers that the log has overtaken; the loop of {@code group} may wait for the disk. */
    public record Replays(Journal journal, ReplayPages pages, SendGroup group) {}
}
