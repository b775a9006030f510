package dev.msgrelay.server.engine;

import dev.msgrelay.server.core.FrameRing;
import dev.msgrelay.server.core.Order;
import dev.msgrelay.server.fanout.SubscriberConnection;
import dev.msgrelay.server.flow.HeldSources;
import dev.msgrelay.server.flow.TimeHistogram;
import dev.msgrelay.server.flow.WindowGate;
import dev.msgrelay.server.log.Mark;
import dev.msgrelay.server.log.PacketLog;
import dev.msgrelay.server.memory.MemoryBudget.Kind;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.memory.MemoryLine;
import dev.msgrelay.server.ops.ConnectionRow;
import dev.msgrelay.server.ops.Counter;
import dev.msgrelay.server.ops.RelayStats;
import dev.msgrelay.server.session.Services;
import dev.msgrelay.server.session.Session;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The engine's figures, read from its parts one after the other. Any thread.
 *
 * @param first place where the stream began, or went on
 */
record EngineReport(
        Services services,
        FrameRing ring,
        PacketLog log,
        Mark first,
        WindowGate gate,
        Order order,
        HeldSources held,
        MemoryLine line,
        JournalLink journal) {
    /** One row for each connection. */
    List<ConnectionRow> rows() {
        return services.table().rows(log.head().position(), services.clock().nanoTime());
    }

    /** Every counter. */
    RelayStats stats() {
        long now = services.clock().nanoTime();
        Mark head = new Mark();
        log.head().read(head);
        Map<Counter, Long> values = new EnumMap<>(Counter.class);
        for (Counter counter : Counter.values()) {
            values.put(counter, services.counters().sum(counter));
        }
        readers(values, head);
        values.put(Counter.MESSAGES_IN, head.sequence() - first.sequence());
        values.put(Counter.BYTES_IN, head.position() - first.position());
        values.put(Counter.PUBLISHERS, (long) services.table().publishers());
        values.put(Counter.SUBSCRIBERS, (long) services.table().subscribers());
        values.put(Counter.HELD_BACK_MILLIS, TimeUnit.NANOSECONDS.toMillis(held.nanos(now)));
        values.put(Counter.BACKPRESSURE_MILLIS, TimeUnit.NANOSECONDS.toMillis(gate.blockedNanos(now)));
        values.put(Counter.RING_CELLS, (long) ring.cells());
        values.put(Counter.RING_USED_CELLS, ring.cells() - ring.remainingCells());
        values.put(Counter.CHUNKS_ASIDE, (long) log.chunksAside());
        values.put(Counter.LOCAL_PUBLISHERS, (long) order.stages());
        values.put(Counter.ASSEMBLY_WAITING, (long) line.length());
        values.put(Counter.MEMORY_DIRECT_BYTES, services.budget().used(Kind.DIRECT));
        values.put(Counter.MEMORY_HEAP_BYTES, services.budget().used(Kind.HEAP));
        TimeHistogram.Times forces = journal.report(values, head.position(), now);
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

    /** Puts the lags of subscribers into {@code values}: of live ones, and of those that are sent the journal. */
    private void readers(Map<Counter, Long> values, Mark head) {
        long slowest = head.position();
        long farthest = slowest;
        long replays = 0;
        for (Session c : services.table().live()) {
            if (c.role() instanceof SubscriberConnection s && s.replays()) {
                replays++;
                farthest = Math.min(farthest, s.position());
            } else if (c.role() instanceof SubscriberConnection s) {
                slowest = Math.min(slowest, s.position());
            }
        }
        values.put(Counter.JOURNAL_REPLAYS, replays);
        values.put(Counter.JOURNAL_REPLAY_LAG_BYTES, head.position() - farthest);
        values.put(Counter.LARGEST_LAG_BYTES, head.position() - slowest);
        values.put(Counter.LARGEST_LAG_MESSAGES, log.messagesFrom(slowest, head));
    }
}
