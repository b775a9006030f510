package dev.msgrelay.server;

import dev.msgrelay.server.config.ClusterConfig;
import dev.msgrelay.server.config.LimitsConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.config.StreamConfig;
import dev.msgrelay.server.core.FrameRing;
import dev.msgrelay.server.fanout.SubscriberConnection;
import dev.msgrelay.server.ingest.InPlacePort;
import dev.msgrelay.server.ingest.IngestPort;
import dev.msgrelay.server.ingest.NameTable;
import dev.msgrelay.server.ingest.PublisherConnection;
import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.journal.JournalFeed;
import dev.msgrelay.server.journal.JournalSettings;
import dev.msgrelay.server.log.PacketLog;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Kind;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.ops.Admission;
import dev.msgrelay.server.session.RefusedConnection;
import dev.msgrelay.server.session.Session;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * How much memory a relay uses at most, part by part, from what it is started with. {@link MemoryBudget} keeps to it, and the
 * relay does not start where the JVM allows less.
 */
public final class MemoryPlan {
    /** Buffers for begun frames of all loops: 8 MiB and a half. */
    static final int SHORT_BUFFERS = 128;

    /** Direct memory of a publisher: a small begun frame, its answers, and what else it may be told. */
    private static final long PUBLISHER_BYTES =
            PublisherConnection.SMALL_BYTES + PublisherConnection.REPLY_BYTES + PublisherConnection.SAID_BYTES;

    /** Java heap of a TLS connection's own: its handler, its library's objects. */
    private static final long TLS_SESSION_BYTES = 24 << 10;

    /**
     * Java heap that a relay needs beside what is counted: 4.4 MiB of classes' objects were measured, the queues of the
     * command's output are 1.5 MiB, and a look at 4,096 connections, once a second, is 2 MiB; the admin port has up to
     * three of them in its hands.
     */
    private static final long HEAP_BASE = 16 << 20;

    private final Map<Part, Long> limits = new EnumMap<>(Part.class);

    private MemoryPlan() {}

    public static MemoryPlan of(RelayConfig config) {
        MemoryPlan plan = new MemoryPlan();
        StreamConfig stream = config.stream();
        LimitsConfig limits = config.limits();
        long connections = config.clients().maxConnections();
        long chunk = StreamConfig.CHUNK_BYTES;
        plan.put(Part.RING, FrameRing.slabBytes(stream.ringCells(), stream.maxRun()));
        plan.put(Part.LOG, stream.logBytes());
        plan.put(Part.PINS, limits.pinBytes() / chunk * chunk);
        plan.put(Part.WRITER, chunk * PacketLog.chunksInHand(stream.maxRun(), StreamConfig.CHUNK_BYTES));
        plan.put(Part.READS, (long) InPlacePort.copiedBytes() * RelayEngine.ports(config));
        plan.put(Part.RESTS, (long) SHORT_BUFFERS * IngestPort.SHORT_BYTES);
        plan.put(Part.FRAMES, limits.assemblyBytes());
        plan.put(Part.FILTERS, limits.filterBytes());
        long publishers = Math.min(connections, config.clients().maxPublishers());
        plan.put(
                Part.CONNECTIONS,
                publishers * PUBLISHER_BYTES
                        + (connections - publishers) * SubscriberConnection.SAID_BYTES
                        + (long) Admission.MOST_TOLD * RefusedConnection.SAID_BYTES);
        plan.put(
                Part.INDEX,
                4L * stream.ringCells() + 16L * PacketLog.indexCapacity(stream.logBytes(), stream.packetBytes()));
        JournalSettings journal = config.journal().settings();
        plan.put(Part.JOURNAL, config.journal().on() ? Journal.DIRECT_BYTES + JournalFeed.RECORD_BYTES : 0);
        plan.put(Part.REPLAYS, config.journal().on() ? limits.replayBytes() : 0);
        plan.put(Part.SEGMENTS, config.journal().on() ? Journal.heapBytes(journal) : 0);
        plan.put(Part.CLUSTER, config.cluster().on() ? ClusterConfig.DIRECT_BYTES : 0);
        plan.put(Part.CONSENSUS, config.cluster().on() ? ClusterConfig.HEAP_BYTES : 0);
        plan.put(Part.CONTROL, limits.controlBytes());
        plan.put(Part.NAMES, (long) NameTable.MAX_NAMES * NameTable.BYTES_PER_NAME);
        plan.put(Part.TLS, config.tls().on() ? config.tls().memoryBytes() : 0);
        long secured = Math.min(connections, config.tls().mostConnections());
        plan.put(Part.SESSIONS, connections * Session.HEAP_BYTES + secured * TLS_SESSION_BYTES);
        return plan;
    }

    private void put(Part part, long bytes) {
        limits.put(part, bytes);
    }

    /** The budget that keeps to it, of a relay that starts. */
    public MemoryBudget budget() {
        return new MemoryBudget(limits);
    }

    public long of(Part part) {
        return limits.get(part);
    }

    /** Bytes of one kind. */
    public long sum(Kind kind) {
        return limits.entrySet().stream()
                .filter(e -> e.getKey().kind() == kind)
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /** Bytes of direct memory that the JVM has to allow. */
    public long direct() {
        return sum(Kind.DIRECT);
    }

    /** Bytes of Java heap that the JVM has to allow. */
    public long heap() {
        return sum(Kind.HEAP) + HEAP_BASE;
    }

    /**
     * Compares it with what the JVM allows.
     *
     * @throws IOException naming both, and what to give
     */
    void check(long directAllowed, long heapAllowed) throws IOException {
        if (direct() > directAllowed) {
            throw new IOException("the relay's memory is " + direct() + " bytes of direct memory, and the JVM allows "
                    + directAllowed + ": give -XX:MaxDirectMemorySize=" + mebibytes(direct())
                    + "m or more, or smaller sizes");
        }
        if (heap() > heapAllowed) {
            throw new IOException("the relay's memory is " + heap() + " bytes of Java heap, and the JVM allows "
                    + heapAllowed + ": give -Xmx" + mebibytes(heap()) + "m or more, or smaller sizes");
        }
    }

    /** Rounded up. */
    public static long mebibytes(long bytes) {
        return (bytes + (1 << 20) - 1) >> 20;
    }

    /** In lines, for people. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            for (Part part : Part.values()) {
                if (part.kind() == kind && of(part) > 0) {
                    lines.add(String.format(
                            Locale.ROOT,
                            "  %-32s %,14d bytes%s",
                            part.text(),
                            of(part),
                            part.takenAtStart() ? "" : " at most"));
                }
            }
            String what = kind == Kind.DIRECT ? "direct memory" : "Java heap, and what the JVM itself needs";
            lines.add(String.format(
                    Locale.ROOT, "  %-32s %,14d bytes, %s", "sum", kind == Kind.DIRECT ? direct() : heap(), what));
        }
        return lines;
    }
}
