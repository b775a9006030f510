package dev.msgrelay.server;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.config.StreamConfig;
import dev.msgrelay.server.log.PacketLog;
import dev.msgrelay.server.ring.FrameRing;
import dev.msgrelay.server.session.Intake;
import dev.msgrelay.server.session.PublisherNames;
import dev.msgrelay.server.session.PublisherSession;
import dev.msgrelay.server.session.SubscriberGroup;
import dev.msgrelay.server.session.SubscriberSession;
import java.util.ArrayList;
import java.util.List;

/**
 * What a relay takes beside the Java heap, as a sum of items: what is taken at start, and what a connection may take at
 * most beyond that.
 *
 * @param fixed taken at start
 * @param perPublisher at most, for each publisher: an incomplete frame, a read buffer while it is held back, and what it is
 *     told
 * @param perSubscriber at most, for each subscriber: the chunks that its write in flight keeps from being used anew, and
 *     a buffer where it wants some types only
 */
public record MemoryPlan(List<Item> fixed, long perPublisher, long perSubscriber) {
    /** One item. */
    public record Item(String name, long bytes) {}

    static MemoryPlan of(RelayConfig config) {
        StreamConfig stream = config.stream();
        List<Item> items = new ArrayList<>();
        items.add(new Item("ring", FrameRing.slabBytes(stream.ringCells(), stream.maxRun())));
        items.add(new Item("ring availability", 4L * stream.ringCells()));
        items.add(new Item("log", stream.logBytes()));
        items.add(new Item("packet index", 16L * PacketLog.indexCapacity(stream.logBytes(), stream.packetBytes())));
        items.add(new Item("read buffers", 2L * Intake.MAX_READ));
        long frame = FrameLayout.frameLength(stream.maxBody());
        long pinned = SubscriberGroup.WRITE_BYTES + frame;
        long chunks = pinned / StreamConfig.CHUNK_BYTES + 2;
        return new MemoryPlan(
                items,
                frame + Intake.MAX_READ + PublisherSession.REPLY_BYTES,
                chunks * StreamConfig.CHUNK_BYTES + SubscriberSession.FILTER_BYTES);
    }

    /** Bytes taken at start. */
    public long total() {
        return fixed.stream().mapToLong(Item::bytes).sum();
    }

    /** Bytes of the Java heap that the name of an acknowledged publisher takes at most, connected or not. */
    public long perName() {
        return PublisherNames.BYTES_PER_NAME;
    }

    /** In lines, for people. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        for (Item item : fixed) {
            lines.add(String.format("  %-18s %,14d bytes", item.name(), item.bytes()));
        }
        lines.add(String.format("  %-18s %,14d bytes, direct memory taken at start", "sum", total()));
        lines.add(String.format(
                "  %-18s %,14d bytes at most while it is held back or within a frame",
                "+ each publisher", perPublisher));
        lines.add(String.format("  %-18s %,14d bytes at most while it is slow", "+ each subscriber", perSubscriber));
        lines.add(String.format(
                "  %-18s %,14d bytes at most, of the Java heap, for up to %,d names",
                "+ each name", perName(), PublisherNames.MAX_NAMES));
        return lines;
    }
}
