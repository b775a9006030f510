package dev.msgrelay.server.cli;

import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.RelayStats;
import dev.msgrelay.server.ops.ConnectionRow;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/**
 * What the command has seen of its relay at one moment. There is one look a second, since the rates of the connections are
 * since the look before.
 *
 * @param time of the day
 * @param nanos as {@link System#nanoTime}
 */
record Look(Instant time, long nanos, RelayStats stats, List<ConnectionRow> connections) {
    static Look at(RelayServer relay) {
        return new Look(Instant.now(), System.nanoTime(), relay.stats(), relay.connections());
    }

    /** The subscriber that is furthest behind; null where nobody is behind. */
    ConnectionRow slowest() {
        return connections.stream()
                .filter(row -> row.lagBytes() > 0)
                .max(Comparator.comparingLong(ConnectionRow::lagBytes))
                .orElse(null);
    }
}
