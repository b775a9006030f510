package dev.msgrelay.server.assembly;

import dev.msgrelay.server.config.ClusterConfig;
import dev.msgrelay.server.config.LimitsConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.config.StateConfig;
import dev.msgrelay.server.config.StreamConfig;
import dev.msgrelay.server.connection.RefusedConnection;
import dev.msgrelay.server.connection.Session;
import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.journal.JournalSettings;
import dev.msgrelay.server.journal.format.JournalName;
import dev.msgrelay.server.journal.read.BlockReader;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Kind;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.producers.NameTable;
import dev.msgrelay.server.publish.Inlet;
import dev.msgrelay.server.publish.LoopBuffers;
import dev.msgrelay.server.publish.PublisherConnection;
import dev.msgrelay.server.state.StateDesk;
import dev.msgrelay.server.state.StateIndex;
import dev.msgrelay.server.stream.FrameRing;
import dev.msgrelay.server.stream.PacketLog;
import dev.msgrelay.server.subscribe.SubscriberConnection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

/** The limit of each part of a relay's memory, computed from settings. {@link MemoryBudget} enforces it. Immutable. */
public final class MemoryPlan {
    /** Number of buffers for begun frames, on all loops together. These buffers take 8.5 MiB. */
    static final int SHORT_BUFFERS = 128;

    /** Java heap of a TLS connection: its handler, and its library's objects. */
    private static final long TLS_SESSION_BYTES = 24 << 10;

    /**
     * Java heap beside the counted parts. Measured: 4.4 MiB for the objects of classes, 1.5 MiB for the queues of the
     * command's output, and 2 MiB for a list of 4,096 connections. The admin port has up to three such lists.
     */
    static final long HEAP_BASE = 16 << 20;

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
        plan.put(Part.READS, (long) LoopBuffers.BUFFER_BYTES * inlets(config));
        plan.put(Part.RESTS, (long) SHORT_BUFFERS * Inlet.SHORT_BYTES);
        plan.put(Part.FRAMES, limits.assemblyBytes());
        plan.put(Part.FILTERS, limits.filterBytes());
        long publishers = Math.min(connections, config.clients().maxPublishers());
        plan.put(
                Part.CONNECTIONS,
                publishers * PublisherConnection.DIRECT_BYTES
                        + (connections - publishers) * SubscriberConnection.SAID_BYTES
                        + (long) RefusedConnection.Newest.MOST * RefusedConnection.SAID_BYTES);
        plan.put(
                Part.INDEX,
                4L * stream.ringCells() + 16L * PacketLog.indexCapacity(stream.logBytes(), stream.packetBytes()));
        JournalSettings journal = config.journal().settings();
        plan.put(Part.JOURNAL, config.journal().on() ? Journal.DIRECT_BYTES + BlockReader.RECORD_BYTES : 0);
        plan.put(Part.REPLAYS, config.journal().on() ? limits.replayBytes() : 0);
        StateConfig state = config.state();
        plan.put(Part.STATE, state.on() ? StateIndex.memoryBytes(state.bytes(), 2L * connections) : 0);
        plan.put(Part.STATE_BATCHES, state.on() ? StateDesk.bufferBytes(stream.maxBody()) : 0);
        boolean folds = state.on() && config.journal().on();
        plan.put(Part.STATE_FOLD, folds ? StateFold.memoryBytes(state.bytes(), stream.maxBody()) : 0);
        plan.put(Part.SEGMENTS, config.journal().on() ? journal.heapBytes() : 0);
        plan.put(Part.CLUSTER, config.cluster().on() ? ClusterConfig.DIRECT_BYTES : 0);
        plan.put(Part.CONSENSUS, config.cluster().on() ? ClusterConfig.HEAP_BYTES : 0);
        plan.put(Part.CONTROL, limits.controlBytes());
        plan.put(Part.NAMES, (long) JournalName.MOST * NameTable.BYTES_PER_NAME);
        plan.put(Part.TLS, config.tls().on() ? config.tls().memoryBytes() : 0);
        long secured = Math.min(connections, config.tls().mostConnections());
        plan.put(Part.SESSIONS, connections * Session.HEAP_BYTES + secured * TLS_SESSION_BYTES);
        return plan;
    }

    /** Number of loops on which publishers are read. */
    static int inlets(RelayConfig config) {
        return 1 + config.readerLoops();
    }

    private void put(Part part, long bytes) {
        limits.put(part, bytes);
    }

    public MemoryBudget budget() {
        return new MemoryBudget(limits);
    }

    public long of(Part part) {
        return limits.get(part);
    }

    private long sum(Predicate<Part> which) {
        return limits.keySet().stream().filter(which).mapToLong(limits::get).sum();
    }

    /** Direct memory that is taken when the relay starts, in bytes. */
    long directAtStart() {
        return sum(part -> part.kind() == Kind.DIRECT && part.takenAtStart());
    }

    /** Direct memory that the JVM must allow, in bytes. */
    public long direct() {
        return sum(part -> part.kind() == Kind.DIRECT);
    }

    /** Java heap that the JVM must allow, in bytes. */
    public long heap() {
        return sum(part -> part.kind() == Kind.HEAP) + HEAP_BASE;
    }

    /**
     * Compares the plan with the JVM's limits.
     *
     * @throws IOException the JVM allows less; the message names both sizes, and the JVM's option
     */
    public void check(long directAllowed, long heapAllowed) throws IOException {
        check(direct(), directAllowed, "direct memory", "-XX:MaxDirectMemorySize=");
        check(heap(), heapAllowed, "Java heap", "-Xmx");
    }

    private static void check(long bytes, long allowed, String what, String option) throws IOException {
        if (bytes > allowed) {
            throw new IOException("the relay's memory is " + bytes + " bytes of " + what + ", and the JVM allows "
                    + allowed + ": give " + option + mebibytes(bytes) + "m or more, or smaller sizes");
        }
    }

    /** Mebibytes, rounded up. */
    public static long mebibytes(long bytes) {
        return (bytes + (1 << 20) - 1) >> 20;
    }

    /** The table of all parts, for people; a line for each part. */
    public List<String> table() {
        List<String> lines = new ArrayList<>(List.of("memory at most:"));
        for (Kind kind : Kind.values()) {
            for (Part part : Part.values()) {
                if (part.kind() == kind && of(part) > 0) {
                    String most = part.takenAtStart() ? "" : " at most";
                    lines.add(String.format(Locale.ROOT, "  %-32s %,14d bytes%s", part.text(), of(part), most));
                }
            }
            String what = kind == Kind.DIRECT ? "direct memory" : "Java heap, and what the JVM itself needs";
            lines.add(String.format(
                    Locale.ROOT, "  %-32s %,14d bytes, %s", "sum", kind == Kind.DIRECT ? direct() : heap(), what));
        }
        return lines;
    }
}
