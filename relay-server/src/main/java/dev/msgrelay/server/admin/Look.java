package dev.msgrelay.server.admin;

import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.figures.ClusterStatus;
import dev.msgrelay.server.figures.ConnectionRow;
import dev.msgrelay.server.figures.RelayStats;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/**
 * A relay at one moment.
 *
 * @param time time of the look
 * @param nanos the same moment, by {@link System#nanoTime}
 * @param cluster state of its cluster; null: the relay is alone
 */
public record Look(Instant time, long nanos, RelayStats stats, List<ConnectionRow> connections, ClusterStatus cluster) {
    public static Look at(RelayServer relay) {
        // Connections first: a connection that has gone since is then among the ends in the statistics.
        List<ConnectionRow> connections = relay.connections();
        return new Look(Instant.now(), System.nanoTime(), relay.stats(), connections, relay.cluster());
    }

    /** The subscriber that is furthest behind, among those that read the log; null: nobody is behind. */
    public ConnectionRow slowest() {
        return connections.stream()
                .filter(row -> row.lagBytes() > 0 && row.replayPercent() == ConnectionRow.LIVE)
                .max(Comparator.comparingLong(ConnectionRow::lagBytes))
                .orElse(null);
    }
}
