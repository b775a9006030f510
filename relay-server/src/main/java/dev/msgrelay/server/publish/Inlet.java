package dev.msgrelay.server.publish;

import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.memory.ReadWindow;
import dev.msgrelay.server.producers.NameTable;
import dev.msgrelay.server.producers.PublisherName;
import dev.msgrelay.server.stream.FrameRing;
import dev.msgrelay.server.stream.NetworkBatchHandler;
import dev.msgrelay.server.stream.Orderer;
import dev.msgrelay.server.stream.PacketLog;
import dev.msgrelay.server.stream.RunScan;
import dev.msgrelay.server.stream.WaitingSources;
import java.nio.ByteBuffer;

/**
 * The way from one loop's publishers into the one order. Provides memory for reads of sockets, and takes the frames.
 *
 * <pre>
 *   core's own loop    reads to the end of the log, in place   ->  log
 *   a reader loop      reads to a buffer of the loop           ->  ring  ->  log
 *   a cluster          reads to a buffer of the loop           ->  orderer ~~> log
 * </pre>
 *
 * Owned by its loop's thread.
 */
public sealed interface Inlet {
    /** Bytes of the longest read: a segment on loopback. They are still in the processor's cache when they are sent. */
    int READ_BYTES = 64 << 10;

    /** Bytes of a buffer for a begun frame, which is moved in front of the next read. */
    int SHORT_BYTES = 68 << 10;

    /** Returns whether there is room for one more read. Publishers wait while there is none. */
    boolean hasRoom();

    /**
     * Returns memory for {@code front} bytes of the caller, and a read of {@code most} bytes. Needs {@link #hasRoom}.
     */
    default ReadWindow window(int front, int most) {
        return buffers().reads().open(0, front + most);
    }

    default RunScan walk(ByteBuffer view, int offset, int length, TypeRanges types) {
        return scan().scan(view, offset, length, 0, types);
    }

    RunScan scan();

    /**
     * Hands in the whole frames of a span. {@link #hasRoom} must have returned true since the last span.
     *
     * @param name the publisher's name, with numbers left for the messages; or {@link PublisherName#NONE}
     * @return false if there is no room for the frames, which stay where they are
     */
    boolean handIn(RunScan span, PublisherName name);

    /** Adds a publisher for which there was no room. The publisher goes on once there is plenty of room. */
    default void addWaiting(WaitingSources.Source source) {
        // The core need not look for room at once, because it looks at waiting sources in each cycle.
        waiting().add(source, false);
    }

    WaitingSources waiting();

    /** Returns whether subscribers see all that is in the log; false while the loop is in the middle of a batch. */
    default boolean allShown() {
        return true;
    }

    /** Notes that a read filled its memory, so that more is likely to come. */
    default void readWasFull() {}

    LoopBuffers buffers();

    /**
     * For publishers on the core's own loop: a socket is read straight to the end of the log, and the bytes stay there.
     * So only the kernel copies bytes on their way from socket to socket.
     */
    record InPlace(
            NetworkBatchHandler handler,
            PacketLog log,
            NameTable names,
            RunScan scan,
            WaitingSources waiting,
            LoopBuffers buffers)
            implements Inlet {
        /** If a chunk has less room than this, a short read goes to the loop's buffer instead, and is copied. */
        private static final int LEAST_IN_PLACE = LoopBuffers.SHORT_READ / 2;

        @Override
        public boolean hasRoom() {
            return handler.hasRoom();
        }

        @Override
        public ReadWindow window(int front, int most) {
            return log.roomInChunk() >= front + Math.min(most, LEAST_IN_PLACE)
                    ? log.windowAtEnd(front + most)
                    : buffers.reads().open(0, front + Math.min(most, LoopBuffers.SHORT_READ));
        }

        @Override
        public RunScan walk(ByteBuffer view, int offset, int length, TypeRanges types) {
            return scan.scan(view, offset, length, log.openPacketBytes(), types);
        }

        @Override
        public boolean handIn(RunScan span, PublisherName name) {
            boolean numbered = name != PublisherName.NONE;
            if (numbered && !names.hasRoom()) {
                return false;
            }
            handler.append(span);
            if (numbered) {
                names.accepted(name, span.frames(), log.lastSequence());
            }
            return true;
        }

        @Override
        public boolean allShown() {
            return handler.allShown();
        }

        @Override
        public void readWasFull() {
            handler.readWasFull();
        }
    }

    /**
     * For publishers on a reader loop: a socket is read to a buffer of the loop. The bytes are walked there and copied
     * to the ring, from which the core packs them.
     *
     * @param scan made by {@link RunScan#unpacked}, because the core makes the packets
     */
    record ToRing(FrameRing ring, WaitingSources waiting, RunScan scan, LoopBuffers buffers) implements Inlet {
        @Override
        public boolean hasRoom() {
            return ring.hasRoom(FrameAssembler.SHORT);
        }

        @Override
        public boolean handIn(RunScan span, PublisherName name) {
            int length = span.wholeBytes();
            long claim = ring.tryClaim(length);
            if (claim == FrameRing.REFUSED) {
                return false;
            }
            ring.put(claim, 0, span.buffer(), span.offset(), length);
            ring.publish(claim, length, span.commonLength());
            return true;
        }

        @Override
        public void addWaiting(WaitingSources.Source source) {
            // The core may have drained the ring before the source was added, and then might not look any more.
            waiting.add(source, true);
        }
    }

    /**
     * For publishers on the core's own loop in a cluster: a socket is read to a buffer of the loop. The bytes are
     * walked there and copied to the orderer, which puts the runs of all relays in order.
     *
     * @param scan made by {@link RunScan#unpacked}, because packets are made from ordered runs
     */
    record ToOrderer(Orderer orderer, WaitingSources waiting, RunScan scan, LoopBuffers buffers) implements Inlet {
        @Override
        public boolean hasRoom() {
            return orderer.hasRoom();
        }

        @Override
        public boolean handIn(RunScan span, PublisherName name) {
            if (name == PublisherName.NONE) {
                return orderer.submit(span);
            }
            boolean taken = orderer.submit(span, name.name(), name.producer, name.next(), name);
            if (taken) {
                name.addSubmitted(span.frames());
            }
            return taken;
        }
    }
}
