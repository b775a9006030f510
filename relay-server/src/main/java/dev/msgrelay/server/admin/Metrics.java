package dev.msgrelay.server.admin;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.figures.ClusterStatus;
import dev.msgrelay.server.figures.ConnectionRow;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.figures.GarbageCollections;
import dev.msgrelay.server.figures.RelayStats;
import dev.msgrelay.server.figures.TimeHistogram;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A relay's figures as metrics for Prometheus. A {@link Counter} has its name in lower case, and seconds instead of
 * milliseconds. Figures of the process have the names that Prometheus' own clients use, and are left out if the system
 * does not provide them. Clients cannot create series, since no label is a client's name or address. Only with {@code
 * --metrics-names N} the names of at most N subscribers are labels.
 */
final class Metrics {
    private static final double MILLIS = 1e-3;
    private static final double NANOS = 1e-9;

    /** The longest validity that is reported, also by a relay without TLS: a hundred years. */
    private static final double LONGEST_SECONDS = 36_525 * 86_400.0;

    private static final Pattern RESIDENT = Pattern.compile("(?m)^VmRSS:\\s+(\\d+) kB$");

    private final MetricSnapshots.Builder all = MetricSnapshots.builder();

    private Metrics() {}

    /**
     * Writes the figures in one of Prometheus's formats.
     *
     * @param named subscribers that have series with their names; usually none
     * @param logSeconds age of the oldest message in the log
     */
    static byte[] write(
            RelayServer relay, ExpositionFormatWriter writer, List<ConnectionRow> named, double logSeconds) {
        Metrics metrics = new Metrics();
        metrics.addRelay(relay, relay.stats());
        metrics.gauge("relay_log_seconds", "seconds: age of the oldest message that the log holds", logSeconds);
        metrics.addProcess();
        if (!named.isEmpty()) {
            metrics.addSubscribers(named);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream(16 << 10);
        try {
            writer.write(out, metrics.all.build(), EscapingScheme.UNDERSCORE_ESCAPING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private void counter(String name, String help, double value) {
        CounterDataPointSnapshot point = new CounterDataPointSnapshot(value, Labels.EMPTY, null, 0);
        all.metricSnapshot(new CounterSnapshot(new MetricMetadata(name, help), List.of(point)));
    }

    private void gauge(String name, String help, double value) {
        gauge(name, help, Stream.of(new GaugeDataPointSnapshot(value, Labels.EMPTY, null)));
    }

    private void gauge(String name, String help, Stream<GaugeDataPointSnapshot> points) {
        all.metricSnapshot(new GaugeSnapshot(new MetricMetadata(name, help), points.toList()));
    }

    private static GaugeDataPointSnapshot point(String label, String of, double value) {
        return new GaugeDataPointSnapshot(value, Labels.of(label, of), null);
    }

    private void histogram(String name, String help, TimeHistogram.Times times) {
        List<Double> bounds = new ArrayList<>(times.bounds());
        bounds.add(Double.POSITIVE_INFINITY);
        ClassicHistogramBuckets buckets = ClassicHistogramBuckets.of(bounds, times.upTo());
        HistogramDataPointSnapshot point =
                new HistogramDataPointSnapshot(buckets, times.nanos() * NANOS, Labels.EMPTY, Exemplars.EMPTY, 0);
        all.metricSnapshot(new HistogramSnapshot(new MetricMetadata(name, help), List.of(point)));
    }

    private void addRelay(RelayServer relay, RelayStats stats) {
        for (Counter counter : Counter.values()) {
            // The histogram of forces, which is added below, contains these two figures.
            if (stats.has(counter) && counter != Counter.JOURNAL_FORCES && counter != Counter.JOURNAL_FORCE_MILLIS) {
                add(counter, stats.get(counter));
            }
        }
        GarbageCollections gc = GarbageCollections.now();
        counter("relay_gc_collections", "collections: garbage collections of the process", gc.count());
        counter("relay_gc_seconds", "seconds: spent on garbage collections of the process", gc.millis() * MILLIS);
        gauge(
                "relay_ready",
                "1: clients should connect; 0: the relay ends, or its cluster has no leader",
                relay.ready() ? 1 : 0);
        gauge(
                "relay_tls_valid_seconds",
                "seconds: until a certificate or authority expires; below 0: one has expired or is not yet valid;"
                        + " 100 years: no TLS",
                Math.min(relay.tls().validSeconds(), LONGEST_SECONDS));
        relay.cluster().ifPresent(this::addCluster);
        stats.forces()
                .ifPresent(forces ->
                        histogram("relay_journal_force_seconds", "seconds: duration of a force to the disk", forces));
        histogram(
                "relay_acknowledge_seconds",
                "seconds: from a batch's first message in the relay until its publishers are told, once a batch",
                stats.acknowledgements());
        histogram(
                "relay_transit_seconds",
                "seconds: from a batch's first message in the relay until its subscribers are sent it, once a batch",
                stats.transits());
        // Includes reasons without a close yet, since Prometheus' rate misses an event with which a series begins.
        List<CounterDataPointSnapshot> closes = Stream.of(CloseReason.values())
                .map(reason -> new CounterDataPointSnapshot(
                        stats.closes().getOrDefault(reason, 0L), Labels.of("reason", reason.name()), null, 0))
                .toList();
        all.metricSnapshot(new CounterSnapshot(
                new MetricMetadata("relay_connections_closed", "connections: closed or refused, by reason"), closes));
        gauge(
                "relay_memory_used_bytes",
                "bytes: taken or reserved, by part",
                Stream.of(Part.values())
                        .map(part -> point("part", lower(part), stats.memory().get(part))));
        gauge(
                "relay_memory_limit_bytes",
                "bytes: limit, by part",
                Stream.of(Part.values())
                        .map(part -> point("part", lower(part), relay.memory().of(part))));
        all.metricSnapshot(new InfoSnapshot(
                new MetricMetadata("relay_build", "the running version"),
                List.of(new InfoDataPointSnapshot(Labels.of("version", Answers.version())))));
    }

    private void add(Counter counter, long value) {
        boolean millis = counter.unit().equals("ms");
        String name = "relay_" + (millis ? lower(counter).replaceFirst("millis$", "seconds") : lower(counter));
        String help = (millis ? "seconds" : counter.unit()) + ": " + counter.help();
        if (counter.total()) {
            counter(name, help, value * (millis ? MILLIS : 1));
        } else {
            gauge(name, help, value * (millis ? MILLIS : 1));
        }
    }

    static String lower(Enum<?> word) {
        return word.name().toLowerCase(Locale.ROOT);
    }

    private void addCluster(ClusterStatus status) {
        gauge(
                "relay_cluster_role",
                "1: the role of this node",
                Stream.of(ClusterStatus.State.values())
                        .map(each -> point("role", lower(each), each == status.state() ? 1 : 0)));
        gauge("relay_cluster_leader", "node: the leader; 0: unknown", status.leader());
        gauge("relay_cluster_term", "number: the leader's term; -1: there was no leader", status.term());
        gauge(
                "relay_cluster_commit_position",
                "bytes: of the cluster's log that a majority has, as far as this node knows",
                status.commitPosition());
        gauge(
                "relay_cluster_member_lag_bytes",
                "bytes: in order, and not at this member by its last report; -1: no report",
                status.members().stream()
                        .map(member -> point("node", Integer.toString(member.node()), member.lagBytes())));
        gauge(
                "relay_cluster_member_silent_seconds",
                "seconds: since this member's last report; -1: no report",
                status.members().stream()
                        .map(member -> point(
                                "node",
                                Integer.toString(member.node()),
                                member.silentMillis() < 0 ? -1 : member.silentMillis() * MILLIS)));
    }

    /** Of subscribers with the same name, adds only the first one, since two series cannot have the same name. */
    private void addSubscribers(List<ConnectionRow> named) {
        Map<String, ConnectionRow> byName = new LinkedHashMap<>();
        named.forEach(row -> byName.putIfAbsent(row.name(), row));
        subscribers("lag_bytes", "bytes: lag of a subscriber", byName, ConnectionRow::lagBytes);
        subscribers("lag_messages", "messages: lag of a subscriber", byName, ConnectionRow::lagMessages);
        subscribers(
                "messages_per_second",
                "messages: handed to a subscriber in the last second",
                byName,
                ConnectionRow::messagesPerSecond);
        subscribers(
                "connected_seconds", "seconds: since a subscriber connected", byName, row -> row.ageMillis() * MILLIS);
    }

    private void subscribers(
            String name, String help, Map<String, ConnectionRow> byName, ToDoubleFunction<ConnectionRow> value) {
        gauge(
                "relay_subscriber_" + name,
                help,
                byName.values().stream().map(row -> point("name", row.name(), value.applyAsDouble(row))));
    }

    private void addProcess() {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
            double seconds = system.getProcessCpuTime() * NANOS;
            counter("process_cpu_seconds", "seconds: processor time of the process", seconds);
            gauge("process_open_fds", "descriptors: open in the process", system.getOpenFileDescriptorCount());
            gauge("process_max_fds", "descriptors: limit of the process", system.getMaxFileDescriptorCount());
        }
        double started = ManagementFactory.getRuntimeMXBean().getStartTime() * MILLIS;
        gauge("process_start_time_seconds", "seconds: since 1970, when the process started", started);
        long resident = residentBytes();
        if (resident > 0) {
            gauge("process_resident_memory_bytes", "bytes: of the process in memory", resident);
        }
        Map<String, MemoryUsage> areas = Map.of(
                "heap", ManagementFactory.getMemoryMXBean().getHeapMemoryUsage(),
                "nonheap", ManagementFactory.getMemoryMXBean().getNonHeapMemoryUsage());
        memory(areas, "used", "bytes: of the JVM's memory in use, by area", MemoryUsage::getUsed);
        memory(
                areas,
                "committed",
                "bytes: of the JVM's memory that it has from the system, by area",
                MemoryUsage::getCommitted);
        memory(areas, "max", "bytes: limit of the JVM's memory, by area; -1: none", MemoryUsage::getMax);
    }

    private void memory(Map<String, MemoryUsage> areas, String which, String help, ToDoubleFunction<MemoryUsage> of) {
        gauge(
                "jvm_memory_" + which + "_bytes",
                help,
                areas.entrySet().stream().map(area -> point("area", area.getKey(), of.applyAsDouble(area.getValue()))));
    }

    /** Resident memory of the process; 0 on systems other than Linux, where it is unknown. */
    private static long residentBytes() {
        try {
            Matcher resident = RESIDENT.matcher(Files.readString(Path.of("/proc/self/status")));
            return resident.find() ? Long.parseLong(resident.group(1)) << 10 : 0;
        } catch (IOException notLinux) {
            return 0;
        }
    }
}
