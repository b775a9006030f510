package dev.msgrelay.server.admin;

import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.figures.ClusterStatus;
import dev.msgrelay.server.figures.ConnectionRow;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.figures.GarbageCollections;
import dev.msgrelay.server.figures.RelayStats;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A relay's figures and connections at one moment.
 *
 * @param nanos the same moment, by {@link System#nanoTime}
 * @param cluster state of the relay's cluster; empty if the relay is in no cluster
 */
public record Look(
        Instant time, long nanos, RelayStats stats, List<ConnectionRow> connections, Optional<ClusterStatus> cluster) {
    public static Look at(RelayServer relay) {
        // Connections are read before the statistics, so that these include a close that happens in between.
        List<ConnectionRow> connections = relay.connections();
        return new Look(Instant.now(), System.nanoTime(), relay.stats(), connections, relay.cluster());
    }

    /** The subscriber with the largest lag, of those that get the stream from the log; empty if none of them lags. */
    public Optional<ConnectionRow> slowest() {
        return connections.stream()
                .filter(row -> row.lagBytes() > 0 && row.replayPercent() == ConnectionRow.LIVE)
                .max(Comparator.comparingLong(ConnectionRow::lagBytes));
    }

    /** Adds counters, garbage collections, closes by reason, the slowest subscriber and the cluster's state. */
    public static void totals(JsonLine line, Look look) {
        for (Counter counter : Counter.values()) {
            if (look.stats().has(counter)) {
                line.number(counter.key(), look.stats().get(counter));
            }
        }
        GarbageCollections gc = GarbageCollections.now();
        line.number("gcCount", gc.count()).number("gcMillis", gc.millis());
        line.object("closes", closes -> look.stats().closes().forEach((reason, n) -> closes.number(reason.name(), n)));
        look.slowest().ifPresent(slowest -> line.object("slowest", members -> row(members, slowest)));
        look.cluster().ifPresent(status -> cluster(line, status));
    }

    static void cluster(JsonLine line, ClusterStatus status) {
        line.object("cluster", cluster -> cluster.text("name", status.name())
                .number("node", status.node())
                .text("role", status.state().text())
                .number("leader", status.leader())
                .number("term", status.term())
                .number("commitPosition", status.commitPosition())
                .list("members", status.members().stream(), (item, member) -> item.number("node", member.node())
                        .text("address", member.address())
                        .number("position", member.position())
                        .number("lagBytes", member.lagBytes())
                        .number("silentMillis", member.silentMillis())));
    }

    public static void row(JsonLine line, ConnectionRow row) {
        line.number("id", row.id())
                .text("name", row.name())
                .text("identity", row.identity())
                .text("address", row.address())
                .text("role", row.publisher() ? "publisher" : "subscriber")
                .text("state", row.state())
                .text("waitsFor", row.waitsFor());
        if (!row.publisher()) {
            line.text("policy", row.policy().flag())
                    .text("types", row.types())
                    .number("cursor", row.cursor())
                    .number("lagBytes", row.lagBytes())
                    .number("lagMessages", row.lagMessages());
            if (row.replayPercent() != ConnectionRow.LIVE) {
                line.number("replayPercent", row.replayPercent()).number("replayLeftMillis", row.replayLeftMillis());
            }
        }
        if (row.policy() == Policy.LATEST) {
            line.number("conflated", row.conflated());
        }
        if (row.intervalMillis() > 0) {
            line.number("intervalMillis", row.intervalMillis());
        }
        line.number("messages", row.messages())
                .number("bytes", row.bytes())
                .decimal("messagesPerSecond", row.messagesPerSecond())
                .number("ageMillis", row.ageMillis());
    }
}
