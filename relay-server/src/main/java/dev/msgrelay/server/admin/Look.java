package dev.msgrelay.server.admin;

import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.RelayStats;
import dev.msgrelay.server.core.ClusterStatus;
import dev.msgrelay.server.ops.ConnectionRow;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/**
 * What was seen of a relay at one moment.
 *
 * @param time of the day
 * @param nanos as {@link System#nanoTime}
 * @param cluster how it stands among the relays that are one with it; null: it is alone
 */
public record Look(Instant time, long nanos, RelayStats stats, List<ConnectionRow> connections, ClusterStatus cluster) {
    public static Look at(RelayServer relay) {
        // Connections first: of one that is not among them any more, the end is in the statistics.
        List<ConnectionRow> connections = relay.connections();
        return new Look(Instant.now(), System.nanoTime(), relay.stats(), connections, relay.cluster());
    }

    /** The subscriber that is furthest behind, of those that get the log; null where nobody is behind. */
    public ConnectionRow slowest() {
        return connections.stream()
                .filter(row -> row.lagBytes() > 0 && row.replayPercent() == ConnectionRow.LIVE)
                .max(Comparator.comparingLong(ConnectionRow::lagBytes))
                .orElse(null);
    }
}
