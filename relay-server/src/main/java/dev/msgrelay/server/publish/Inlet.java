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
 * The inlet through which one loop's publishers get into the one order: where sockets are read to, and where the frames
 * are handed in.
 *
 * <pre>
 *   core's own loop    reads to where the log ends, in place   ->  log
 *   a reader loop      reads to a buffer of the loop           ->  ring  ->  log
 *   several relays     reads to a buffer of the loop           ->  orderer ~~> log
 * </pre>
 *
 * Owned by its loop's thread.
 */
public sealed interface Inlet {
    /**
     * Bytes of the longest read, one segment of loopback: they are in the processor's cache still when they are sent.
     */
    int READ_BYTES = 64 << 10;

    /** Bytes of a buffer for a begun frame that is moved in front of the next read. */
    int SHORT_BYTES = 68 << 10;

    /** Whether there is room for all that one more read may bring. If not, publishers wait until there is. */
    boolean hasRoom();

    /**
     * Memory for a read of {@code most} bytes behind {@code front} others: the loop's buffer, unless the inlet reads in
     * place. Only if {@link #hasRoom}.
     */
    default ReadWindow window(int front, int most) {
        return buffers().reads().open(0, front + most);
    }

    /** Walks bytes that were read; {@code types}: those that their publisher may send. */
    default RunScan walk(ByteBuffer view, int offset, int length, TypeRanges types) {
        return scan().scan(view, offset, length, 0, types);
    }

    /** The loop's walk over what was read. */
    RunScan scan();

    /**
     * Hands in the whole frames of a span. Only if {@link #hasRoom} has said yes since the last span.
     *
     * @param name the messages' publisher, with numbers left for them; {@link PublisherName#NONE}: a plain one
     * @return false if there is no room for them now: they have to wait where they are
     */
    boolean handIn(RunScan span, PublisherName name);

    /** Adds a publisher that has found no room: it is resumed once there is plenty. */
    default void addWaiting(WaitingSources.Source source) {
        // The core looks at waiting sources in each cycle, which is enough for those of its own loop.
        waiting().add(source, false);
    }

    /** The publishers that wait for room, of all loops. */
    WaitingSources waiting();

    /** Whether readers see all that is in the log: not while the loop is in the middle of a batch. */
    default boolean allShown() {
        return true;
    }

    /**
     * Notes that a read took all it could: more is likely to come. Only the core, which makes batches, needs to know.
     */
    default void readWasFull() {}

    /** The memory that the loop's publishers share. */
    LoopBuffers buffers();

    /**
     * For publishers on the core's own loop: a socket is read straight to where the log ends, and the bytes stay there.
     * So the kernel alone copies the bytes between two sockets.
     */
    record InPlace(
            NetworkBatchHandler handler,
            PacketLog log,
            NameTable names,
            RunScan scan,
            WaitingSources waiting,
            LoopBuffers buffers)
            implements Inlet {
        /** With less room at the end of a chunk a read is short, goes to the loop's buffer, and is copied. */
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
     * For publishers on a reader loop, which has a processor core of its own: a socket is read to a buffer of the loop,
     * the bytes are walked there and copied to the ring, and the core packs what is in the ring.
     *
     * @param scan {@link RunScan#unpacked}: packets are made where the order is
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
            // The ring may have been drained before the core sees the source: then the core does not look.
            waiting.add(source, true);
        }
    }

    /**
     * For publishers on the core's own loop where several relays are one: a socket is read to a buffer of the loop, the
     * bytes are walked there and copied to the orderer, which puts runs of all relays in order.
     *
     * @param scan {@link RunScan#unpacked}: packets are made where the order is
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
