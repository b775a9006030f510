package dev.msgrelay.server.admin;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.core.ClusterStatus;
import dev.msgrelay.server.engine.MemoryPlan;
import dev.msgrelay.server.flow.TimeHistogram;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.ops.ConnectionRow;
import dev.msgrelay.server.ops.Counter;
import dev.msgrelay.server.ops.GarbageCollections;
import dev.msgrelay.server.ops.RelayStats;
import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * A relay's figures as Prometheus's metrics: each {@link Counter} by its name in lower case, with seconds for
 * milliseconds; closes by reason; memory by part. No name and no address of a client is a label, so clients cannot make
 * new series, but for {@code --metrics-names N}: then there are those of N subscribers.
 */
final class Metrics {
    private static final String PREFIX = "relay_";
    private static final double MILLIS = 1e-3;
    private static final double NANOS = 1e-9;

    /** A hundred years: longer than any certificate's life. */
    private static final double LONGEST_SECONDS = 36_525 * 86_400.0;

    private Metrics() {}

    /**
     * Writes the figures in one of Prometheus's formats.
     *
     * @param furthestBehind subscribers that are told by name; usually none
     */
    static byte[] write(RelayServer relay, ExpositionFormatWriter writer, List<ConnectionRow> furthestBehind) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(16 << 10);
        try {
            writer.write(out, of(relay, furthestBehind), EscapingScheme.UNDERSCORE_ESCAPING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private static MetricSnapshots of(RelayServer relay, List<ConnectionRow> furthestBehind) {
        RelayStats stats = relay.stats();
        MetricSnapshots.Builder all = MetricSnapshots.builder();
        for (Counter counter : Counter.values()) {
            if (!stats.has(counter) || counter == Counter.JOURNAL_FORCES || counter == Counter.JOURNAL_FORCE_MILLIS) {
                // The histogram of forces has these two.
                continue;
            }
            boolean millis = counter.unit().equals("ms");
            String name = counter.name().toLowerCase(Locale.ROOT);
            add(
                    all,
                    counter.total(),
                    PREFIX + (millis ? name.replaceFirst("millis$", "seconds") : name),
                    (millis ? "seconds" : counter.unit()) + ": " + counter.help(),
                    stats.get(counter) * (millis ? MILLIS : 1));
        }
        GarbageCollections gc = GarbageCollections.now();
        add(all, true, PREFIX + "gc_collections", "collections: garbage collections of the process", gc.count());
        add(
                all,
                true,
                PREFIX + "gc_seconds",
                "seconds: spent on garbage collections of the process",
                gc.millis() * MILLIS);
        add(
                all,
                false,
                PREFIX + "ready",
                "1: clients should connect; 0: the relay ends, or its cluster has no leader",
                relay.ready() ? 1 : 0);
        add(
                all,
                false,
                PREFIX + "tls_valid_seconds",
                "seconds: until a certificate or authority expires; below 0: one has expired or is not yet valid; 100 years: no TLS",
                Math.min(relay.tls().validSeconds(), LONGEST_SECONDS));
        if (relay.cluster() != null) {
            cluster(all, relay.cluster());
        }
        if (stats.forces() != null) {
            times(all, "journal_force_seconds", "seconds: duration of a force to the disk", stats.forces());
        }
        times(
                all,
                "acknowledge_seconds",
                "seconds: from a batch's first message in the relay until its publishers are told, once a batch",
                stats.acknowledgements());
        times(
                all,
                "transit_seconds",
                "seconds: from a batch's first message in the relay until its subscribers are sent it, once a batch",
                stats.transits());
        closes(all, stats);
        memory(all, stats, relay.memory());
        ProcessMetrics.add(all);
        if (!furthestBehind.isEmpty()) {
            subscribers(all, furthestBehind);
        }
        all.metricSnapshot(InfoSnapshot.builder()
                .name(PREFIX + "build")
                .help("the running version")
                .dataPoint(InfoDataPointSnapshot.builder()
                        .labels(Labels.of("version", Answers.version()))
                        .build())
                .build());
        return all.build();
    }

    static void add(MetricSnapshots.Builder all, boolean total, String name, String help, double value) {
        if (total) {
            all.metricSnapshot(CounterSnapshot.builder()
                    .name(name)
                    .help(help)
                    .dataPoint(CounterDataPointSnapshot.builder().value(value).build())
                    .build());
        } else {
            all.metricSnapshot(GaugeSnapshot.builder()
                    .name(name)
                    .help(help)
                    .dataPoint(GaugeDataPointSnapshot.builder().value(value).build())
                    .build());
        }
    }

    /** Adds the cluster's state. Its members come from a file, so clients cannot make new series. */
    private static void cluster(MetricSnapshots.Builder all, ClusterStatus status) {
        GaugeSnapshot.Builder state =
                GaugeSnapshot.builder().name(PREFIX + "cluster_role").help("1: the role of this node");
        for (ClusterStatus.State each : ClusterStatus.State.values()) {
            state.dataPoint(GaugeDataPointSnapshot.builder()
                    .labels(Labels.of("role", each.name().toLowerCase(Locale.ROOT)))
                    .value(each == status.state() ? 1 : 0)
                    .build());
        }
        all.metricSnapshot(state.build());
        add(all, false, PREFIX + "cluster_leader", "node: the leader; 0: unknown", status.leader());
        add(all, false, PREFIX + "cluster_term", "number: the leader's term; -1: there was no leader", status.term());
        add(
                all,
                false,
                PREFIX + "cluster_commit_position",
                "bytes: of the cluster's log that a majority has, as far as this node knows",
                status.commitPosition());
        GaugeSnapshot.Builder lag = GaugeSnapshot.builder()
                .name(PREFIX + "cluster_member_lag_bytes")
                .help("bytes: in order, and not at this member by its last report; -1: no report");
        GaugeSnapshot.Builder silent = GaugeSnapshot.builder()
                .name(PREFIX + "cluster_member_silent_seconds")
                .help("seconds: since this member's last report; -1: no report");
        for (ClusterStatus.Member member : status.members()) {
            Labels labels = Labels.of("node", Integer.toString(member.node()));
            lag.dataPoint(GaugeDataPointSnapshot.builder()
                    .labels(labels)
                    .value(member.lagBytes())
                    .build());
            silent.dataPoint(GaugeDataPointSnapshot.builder()
                    .labels(labels)
                    .value(member.silentMillis() < 0 ? -1 : member.silentMillis() * MILLIS)
                    .build());
        }
        all.metricSnapshot(lag.build());
        all.metricSnapshot(silent.build());
    }

    private static void times(MetricSnapshots.Builder all, String name, String help, TimeHistogram.Times times) {
        ClassicHistogramBuckets.Builder buckets = ClassicHistogramBuckets.builder();
        for (int i = 0; i < times.upTo().size(); i++) {
            boolean last = i == times.bounds().size();
            buckets.bucket(
                    last ? Double.POSITIVE_INFINITY : times.bounds().get(i),
                    times.upTo().get(i));
        }
        all.metricSnapshot(HistogramSnapshot.builder()
                .name(PREFIX + name)
                .help(help)
                .dataPoint(HistogramDataPointSnapshot.builder()
                        .classicHistogramBuckets(buckets.build())
                        .sum(times.nanos() * NANOS)
                        .build())
                .build());
    }

    /**
     * Adds closes by all reasons, also those that have not occurred: a series that appears with its first event has no
     * rate.
     */
    private static void closes(MetricSnapshots.Builder all, RelayStats stats) {
        CounterSnapshot.Builder closes = CounterSnapshot.builder()
                .name(PREFIX + "connections_closed")
                .help("connections: closed or refused, by reason");
        for (CloseReason reason : CloseReason.values()) {
            closes.dataPoint(CounterDataPointSnapshot.builder()
                    .labels(Labels.of("reason", reason.name()))
                    .value(stats.closes().getOrDefault(reason, 0L))
                    .build());
        }
        all.metricSnapshot(closes.build());
    }

    /** Adds subscribers by name; of several with the same name, the one that is furthest behind. */
    private static void subscribers(MetricSnapshots.Builder all, List<ConnectionRow> rows) {
        Map<String, ConnectionRow> byName = new LinkedHashMap<>();
        rows.forEach(row -> byName.putIfAbsent(row.name(), row));
        subscriber(all, byName, "lag_bytes", "bytes: lag of a subscriber", ConnectionRow::lagBytes);
        subscriber(all, byName, "lag_messages", "messages: lag of a subscriber", ConnectionRow::lagMessages);
        subscriber(
                all,
                byName,
                "messages_per_second",
                "messages: handed to a subscriber in the last second",
                ConnectionRow::messagesPerSecond);
        subscriber(
                all,
                byName,
                "connected_seconds",
                "seconds: since a subscriber connected",
                row -> row.ageMillis() * MILLIS);
    }

    private static void subscriber(
            MetricSnapshots.Builder all,
            Map<String, ConnectionRow> byName,
            String name,
            String help,
            ToDoubleFunction<ConnectionRow> value) {
        GaugeSnapshot.Builder gauge =
                GaugeSnapshot.builder().name(PREFIX + "subscriber_" + name).help(help);
        byName.forEach((client, row) -> gauge.dataPoint(GaugeDataPointSnapshot.builder()
                .labels(Labels.of("name", client))
                .value(value.applyAsDouble(row))
                .build()));
        all.metricSnapshot(gauge.build());
    }

    private static void memory(MetricSnapshots.Builder all, RelayStats stats, MemoryPlan plan) {
        GaugeSnapshot.Builder used =
                GaugeSnapshot.builder().name(PREFIX + "memory_used_bytes").help("bytes: taken or reserved, by part");
        GaugeSnapshot.Builder limit =
                GaugeSnapshot.builder().name(PREFIX + "memory_limit_bytes").help("bytes: limit, by part");
        for (Part part : Part.values()) {
            Labels labels = Labels.of("part", part.name().toLowerCase(Locale.ROOT));
            used.dataPoint(GaugeDataPointSnapshot.builder()
                    .labels(labels)
                    .value(stats.memory().get(part))
                    .build());
            limit.dataPoint(GaugeDataPointSnapshot.builder()
                    .labels(labels)
                    .value(plan.of(part))
                    .build());
        }
        all.metricSnapshot(used.build());
        all.metricSnapshot(limit.build());
    }
}
