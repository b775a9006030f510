package dev.msgrelay.server.assembly;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.config.ProxyConfig;
import dev.msgrelay.server.connection.EngineLoop;
import dev.msgrelay.server.connection.Services;
import dev.msgrelay.server.connection.Session;
import dev.msgrelay.server.connection.SessionRole;
import dev.msgrelay.server.figures.ConnectionRow;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.figures.RelayStats;
import dev.msgrelay.server.figures.TimeHistogram;
import dev.msgrelay.server.memory.MemoryBudget.Kind;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.memory.MemoryLine;
import dev.msgrelay.server.publish.PublisherConnection;
import dev.msgrelay.server.state.StateDesk;
import dev.msgrelay.server.state.StateIndex;
import dev.msgrelay.server.stream.FrameRing;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.NetworkBatchHandler;
import dev.msgrelay.server.stream.PacketLog;
import dev.msgrelay.server.stream.RunStage;
import dev.msgrelay.server.stream.WaitingSources;
import dev.msgrelay.server.stream.WindowGate;
import dev.msgrelay.server.subscribe.SubscriberConnection;
import dev.msgrelay.server.tls.TlsContext;
import io.netty.channel.Channel;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The relay without its sockets and threads: everything between a channel that has been accepted and one that is
 * written to. {@link EngineAssembly} makes it.
 *
 * <pre>
 *   PublisherConnection --Inlet.InPlace---------------.
 *   PublisherConnection --Inlet.ToRing------.         v
 *   LocalPublisher --RunStage------------> FrameRing -> NetworkBatchHandler -> PacketLog
 *                                                                   PacketLog -> SendGroup -> SubscriberConnection
 * </pre>
 *
 * <p>The caller drives the loops, and chooses the clock.
 *
 * @param core loop of the thread that makes the order
 * @param first head of the log when the engine was made
 * @param releases gives back the memory of all parts
 */
public record RelayEngine(
        EngineLoop core,
        Services services,
        FrameRing ring,
        PacketLog log,
        Mark first,
        WindowGate gate,
        NetworkBatchHandler handler,
        WaitingSources waiting,
        MemoryLine line,
        JournalLink journal,
        Optional<StateDesk> state,
        Optional<StateFold> fold,
        ChannelSetup setup,
        CoreDuty duty,
        Releases releases) {
    /**
     * Makes a connection of an accepted channel, or refuses it. On the core's thread.
     *
     * @param tls TLS of the channel's port; empty for a port without TLS
     * @return the channel's loop
     */
    public EngineLoop place(Channel accepted, Role role, Optional<TlsContext> tls) {
        return setup.place(accepted, role, tls);
    }

    /** Like {@link #place}, for a port behind proxies, which send the PROXY protocol first. On the core's thread. */
    public EngineLoop placeProxied(Channel accepted, Role role, Optional<TlsContext> tls, ProxyConfig proxies) {
        return setup.placeProxied(accepted, role, tls, proxies);
    }

    /** Makes the stage through which one thread of this process publishes. Any thread. */
    public RunStage newStage() {
        RunStage stage = new RunStage(ring, services.identity().maxBody(), core::asleep);
        handler.add(stage);
        return stage;
    }

    // ---- ending, in this order ----------------------------------------------------------------------------------

    /** Sends GOAWAY to the subscribers that said HELLO. Any thread. */
    public void sayGoAway(int closesInMillis) {
        live(SubscriberConnection.class)
                .map(SubscriberConnection::session)
                .forEach(c -> c.execute(() -> c.goAway(CloseReason.SHUTDOWN, closesInMillis)));
    }

    /** Stops reading from all publishers, including those that join later. Any thread. */
    public void stopReading(int closesInMillis) {
        // drain comes first, so that a publisher that joins after the table is listed does not read either.
        services.table().drain();
        live(PublisherConnection.class).forEach(p -> p.session().execute(() -> p.stopReading(closesInMillis)));
        handler.stages().forEach(RunStage::close);
    }

    /**
     * Whether everything that was read is in the stream, and has been handed to all subscribers. On the core's thread,
     * since no other thread knows the end of the log, which may be beyond its head.
     */
    public boolean drained() {
        // Checked in the order in which bytes move, so that a later check finds bytes that have moved meanwhile.
        if (!services.table().draining() || !live(PublisherConnection.class).allMatch(PublisherConnection::quiet)) {
            return false;
        }
        long head = log.head().position();
        // Does not wait for subscribers that replay, since they can continue from the journal with the next relay.
        return handler.isEmpty()
                && head == log.endPosition()
                && live(SubscriberConnection.class)
                        .allMatch(s -> s.replays() || s.getsState() && !s.hasInterval() || s.position() >= head);
    }

    public void closeConnections() {
        services.table()
                .live()
                .forEach(c -> c.execute(() -> c.close(CloseReason.SHUTDOWN, CloseReason.SHUTDOWN.text())));
    }

    /** The live connections of one role. */
    private <R extends SessionRole> Stream<R> live(Class<R> kind) {
        return services.table().live().stream()
                .map(Session::role)
                .filter(kind::isInstance)
                .map(kind::cast);
    }

    /** Releases all memory; only after the loops have ended. */
    public void release() {
        releases.close();
    }

    // ---- reports: any thread ------------------------------------------------------------------------------------

    public List<ConnectionRow> rows() {
        return services.table().rows(log.head().position(), services.clock().nanoTime());
    }

    /** Every counter. The values are read one after the other, not at one moment. */
    public RelayStats stats() {
        long now = services.clock().nanoTime();
        Mark head = log.head().mark();
        Map<Counter, Long> values = new EnumMap<>(Counter.class);
        for (Counter counter : Counter.values()) {
            values.put(counter, services.counters().sum(counter));
        }
        readers(values, head);
        values.put(Counter.MESSAGES_IN, head.sequence() - first.sequence());
        values.put(Counter.BYTES_IN, head.position() - first.position());
        values.put(Counter.PUBLISHERS, services.table().count(Role.PUBLISHER));
        values.put(Counter.SUBSCRIBERS, services.table().count(Role.SUBSCRIBER));
        values.put(Counter.HELD_BACK_MILLIS, TimeUnit.NANOSECONDS.toMillis(waiting.nanos(now)));
        values.put(Counter.BACKPRESSURE_MILLIS, TimeUnit.NANOSECONDS.toMillis(gate.blockedNanos(now)));
        values.put(Counter.RING_CELLS, (long) ring.cells());
        values.put(Counter.RING_USED_CELLS, ring.cells() - ring.remainingCells());
        values.put(Counter.CHUNKS_ASIDE, (long) log.chunksAside());
        values.put(Counter.LOCAL_PUBLISHERS, (long) handler.stages().size());
        values.put(Counter.ASSEMBLY_WAITING, (long) line.length());
        values.put(Counter.CORE_CPU_MILLIS, TimeUnit.NANOSECONDS.toMillis(core.cpuNanos()));
        values.put(Counter.LOG_BYTES, Math.max(0, head.position() - log.tail()));
        values.put(Counter.MEMORY_DIRECT_BYTES, services.budget().used(Kind.DIRECT));
        values.put(Counter.MEMORY_HEAP_BYTES, services.budget().used(Kind.HEAP));
        state.ifPresentOrElse(
                kept -> put(values, kept.figures()), () -> values.keySet().removeIf(Counter::ofState));
        fold.map(StateFold::figures).ifPresent(snapshot -> {
            values.put(Counter.STATE_SNAPSHOT, snapshot.sequence());
            values.put(Counter.STATE_SNAPSHOT_FORGOTTEN, snapshot.forgotten());
        });
        Optional<TimeHistogram.Times> forces = journal.report(values, head.position(), now);
        Map<Part, Long> memory = new EnumMap<>(Part.class);
        services.budget().pools().forEach((part, pool) -> memory.put(part, pool.used()));
        return new RelayStats(
                values,
                services.closes().closes(),
                services.closes().recent(),
                memory,
                forces,
                services.counters().acknowledgements().times(),
                services.counters().transits().times());
    }

    private static void put(Map<Counter, Long> values, StateIndex.Figures state) {
        values.put(Counter.STATE_TYPES, (long) state.types());
        values.put(Counter.STATE_BYTES, state.bytes());
        values.put(Counter.STATE_FORGOTTEN, state.forgotten());
        values.put(Counter.STATE_FORGOTTEN_VALUE, state.forgottenValue());
        values.put(Counter.STATE_FORGOTTEN_TOMBSTONE, state.forgottenTombstone());
    }

    /** Adds two lags to {@code values}: the largest of live subscribers, and that of those still catching up. */
    private void readers(Map<Counter, Long> values, Mark head) {
        long slowest = head.position();
        long farthest = slowest;
        long replays = 0;
        long getState = 0;
        long intervals = 0;
        for (Session c : services.table().live()) {
            if (c.role() instanceof SubscriberConnection s && s.replays()) {
                replays++;
                farthest = Math.min(farthest, s.position());
            } else if (c.role() instanceof SubscriberConnection s && s.hasInterval()) {
                intervals++;
            } else if (c.role() instanceof SubscriberConnection s && s.getsState()) {
                getState++;
            } else if (c.role() instanceof SubscriberConnection s && !s.conflates()) {
                slowest = Math.min(slowest, s.position());
            }
        }
        values.put(Counter.JOURNAL_REPLAYS, replays);
        values.put(Counter.STATE_READERS, getState);
        values.put(Counter.STATE_INTERVAL_READERS, intervals);
        values.put(Counter.JOURNAL_REPLAY_LAG_BYTES, head.position() - farthest);
        values.put(Counter.LARGEST_LAG_BYTES, head.position() - slowest);
        values.put(Counter.LARGEST_LAG_MESSAGES, log.messagesFrom(slowest, head));
    }

    /** Milliseconds since the core's last tick. There are ten ticks a second. */
    public long silentMillis() {
        return TimeUnit.NANOSECONDS.toMillis(duty.silentNanos());
    }
}
