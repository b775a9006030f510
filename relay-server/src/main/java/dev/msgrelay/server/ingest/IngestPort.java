package dev.msgrelay.server.ingest;

import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.core.RunScan;
import dev.msgrelay.server.flow.HeldSources;
import dev.msgrelay.server.memory.ReadWindow;
import java.nio.ByteBuffer;

/**
 * The way of one loop's publishers into the one order: where they are read to, and where what they bring is handed in.
 *
 * <pre>
 *   core's own loop    reads to where the log ends, in place   ->  log
 *   a reader loop      reads to a buffer of the loop           ->  ring  ->  log
 *   several relays     reads to a buffer of the loop           ->  orderer ~~> log
 * </pre>
 *
 * Owned by its loop's thread.
 */
public interface IngestPort {
    /** Longest read, one segment of loopback: what is read is still in the processor's cache when it is sent. */
    int READ_BYTES = 64 << 10;

    /** A buffer for a begun frame that is moved in front of the next read. */
    int SHORT_BYTES = 68 << 10;

    /** Gets ready for one more read. Returns whether there is room for all that it may bring. */
    boolean makeReady();

    /**
     * Memory for a read of {@code most} bytes behind {@code front} others: the loop's buffer, unless the port reads in
     * place. Only when {@link #makeReady}.
     */
    default ReadWindow window(int front, int most) {
        return buffers().reads().open(0, front + most);
    }

    /** Walks what was read; {@code types}: those that its publisher may send, null: all. */
    default RunScan walk(ByteBuffer view, int offset, int length, TypeRanges types) {
        return scan().scan(view, offset, length, openBytes(), types);
    }

    /** The loop's walk over what was read. */
    RunScan scan();

    /** Bytes of the packet under construction; 0: packets are made elsewhere. */
    default int openBytes() {
        return 0;
    }

    /**
     * Hands in the whole frames of a span. Only after {@link #makeReady} has said that there is room, and nothing was
     * taken since.
     *
     * @param name the messages' publisher, which has numbers left for them, and is told once they are in the stream;
     *     null: they have no numbers
     * @return false where there is no room for them now: they have to wait where they are
     */
    boolean take(RunScan span, PublisherName name);

    /** A publisher has found no room: it is resumed once there is plenty. */
    default void hold(HeldSources.Source source) {
        // The core looks at those who wait in each cycle, which is enough on its own loop.
        held().add(source, false);
    }

    /** The sources that found no room. */
    HeldSources held();

    /** Whether readers see all that is in the log: false while the loop is in the middle of a batch. */
    default boolean allShown() {
        return true;
    }

    /** Notes that a read took all it could: more is likely to come. A port that packs elsewhere need not know. */
    default void readWasFull() {}

    /** The memory that the loop's publishers share. */
    LoopBuffers buffers();
}
