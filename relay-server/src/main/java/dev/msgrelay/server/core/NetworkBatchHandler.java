package dev.msgrelay.server.core;

import dev.msgrelay.server.log.PacketLog;
import java.nio.ByteBuffer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Packs runs into packets of the log: the smart batcher.
 *
 * <p>A batch is what one cycle of the core brings: reads of its own sockets, runs of the ring, of stages, and of other relays.
 * {@link #endOfBatch} alone moves the head of the log, so that subscribers are handed everything in one go; {@link
 * Order#drain} alone calls it. A packet ends where the next frame would take it over one MTU's worth of payload; a larger
 * frame is a packet of its own.
 *
 * <pre>
 *   ring, stages:             onEvent(run) --walk--.
 *   other relays:             append(bytes) -walk--+-> pack(span) -> packets, PacketLog.append ... endOfBatch: the head
 *   sockets of this thread:   a span, walked already'
 * </pre>
 *
 * <p>Owned by the core's thread: the log's only writer.
 */
public final class NetworkBatchHandler implements RunHandler {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private final PacketLog log;
    private final RunScan scan;
    private final LongSupplier clock;
    private final LongConsumer times;
    private boolean timing;
    private long batchNanos;

    /**
     * @param packetBytes payload of a packet: the MTU less the IP and TCP headers
     * @param maxBody longest body in bytes
     * @param clock in ns, read at the begin and the end of a batch alone
     * @param times gets the time of each batch, in ns
     */
    public NetworkBatchHandler(PacketLog log, int packetBytes, int maxBody, LongSupplier clock, LongConsumer times) {
        this.log = log;
        this.scan = new RunScan(packetBytes, maxBody);
        this.clock = clock;
        this.times = times;
    }

    @Override
    public boolean makeReady() {
        return log.makeReady();
    }

    @Override
    public void onEvent(ByteBuffer buffer, int offset, int length, int frameLength) {
        // The ends of packets depend on the runs before, so a run is walked when its turn has come.
        int open = log.openPacketBytes();
        RunScan walked = frameLength > 0
                ? scan.assume(buffer, offset, length, frameLength, open)
                : scan.scan(buffer, offset, length, open);
        if (walked.end() != length) {
            // Producers check their runs in the ring or before, so this is a fault of the relay's own. What is whole is
            // relayed, the rest is not: it must neither reach a subscriber nor stop the ring.
            LOG.error(
                    "a run in the ring is not whole frames, which is a fault of the relay: {} of its {} bytes are dropped{}",
                    walked.rest(),
                    length,
                    walked.problem() == null ? "" : " (" + walked.problemText() + ")");
        }
        pack(walked);
    }

    /**
     * Packs a run of whole frames that others have put in order; only after {@link #makeReady} has returned true.
     *
     * @throws IllegalStateException it is no such run. The others have counted it, so the stream here differs from theirs
     */
    public void append(ByteBuffer buffer, int offset, int length) {
        RunScan walked = scan.scan(buffer, offset, length, log.openPacketBytes());
        if (walked.end() != length) {
            throw new IllegalStateException(
                    "a run that the others have put in order is not whole frames: " + walked.rest()
                            + " of its " + length + " bytes are none"
                            + (walked.problem() == null ? "" : " (" + walked.problemText() + ")"));
        }
        pack(walked);
    }

    /**
     * Packs the whole frames of a span, which was walked with the log's open packet in mind. Readers see them after {@link
     * #endOfBatch}.
     */
    public void pack(RunScan span) {
        if (!timing) {
            timing = true;
            batchNanos = clock.getAsLong();
        }
        for (int k = 0; k < span.packets(); k++) {
            log.packetStartsAt(span.packetEnd(k), span.framesBefore(k));
        }
        log.append(span.buffer(), span.offset(), span.end(), span.frames());
    }

    /** Shows readers everything that was packed. */
    void endOfBatch() {
        log.publish();
    }

    /** Takes the batch's time: subscribers have been handed it, as far as their sockets took it. */
    void handedOver() {
        if (timing) {
            timing = false;
            times.accept(clock.getAsLong() - batchNanos);
        }
    }
}
