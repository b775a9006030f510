package dev.msgrelay.server.subscribe;

import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.stream.PacketLog;
import dev.msgrelay.server.stream.WindowGate;
import java.util.function.Supplier;

/**
 * The parts of a relay that all its subscribers share.
 *
 * @param logBytes that anybody may be behind
 * @param stallNanos that a subscriber may stand still while others wait
 * @param replays null: there is no journal, or nobody is sent what it has
 * @param seats takes a seat for a subscriber that connects, or has caught up
 * @param elsewhere whether other relays have the same stream: a subscriber may have had more of it there than is here yet
 */
public record FanoutParts(
        PacketLog log,
        DurableEnds durable,
        long logBytes,
        WindowGate gate,
        long stallNanos,
        Replays replays,
        Supplier<SendGroup> seats,
        boolean elsewhere) {
    /** The parts for subscribers that the log has overtaken; the loop of {@code group} may wait for the disk. */
    public record Replays(Journal journal, ReplayPages pages, SendGroup group) {}
}
