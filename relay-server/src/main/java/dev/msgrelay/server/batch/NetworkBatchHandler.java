package dev.msgrelay.server.batch;

import dev.msgrelay.server.log.PacketLog;
import dev.msgrelay.server.ring.Run;
import dev.msgrelay.server.ring.RunHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Packs what has gathered in the ring into packets of the log: the smart batcher.
 *
 * <p>While it works, more gathers; {@code endOfBatch} says that nothing more waits, and only then the head of the log
 * moves, so that subscribers are handed everything in one go. Frames go one behind the other; a packet ends where the
 * next frame would take it over one MTU's worth of payload. A frame that is larger than a packet is a packet of its own
 * and takes several on the wire.
 *
 * <p>Owned by the thread of the event loop that polls the ring: the log's only writer.
 */
public final class NetworkBatchHandler implements RunHandler {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private final PacketLog log;
    private final RunScan ownScan;
    private final AckSink acks;

    /** One that nobody wants to be told by. */
    public NetworkBatchHandler(PacketLog log, int packetBytes, int maxBody) {
        this(log, packetBytes, maxBody, AckSink.NONE);
    }

    /**
     * @param packetBytes payload of a packet: the MTU less the IP and TCP headers
     * @param maxBody longest body in bytes
     * @param acks is told of every run that has an owner
     */
    public NetworkBatchHandler(PacketLog log, int packetBytes, int maxBody, AckSink acks) {
        this.log = log;
        this.acks = acks;
        this.ownScan = new RunScan(packetBytes, maxBody);
    }

    @Override
    public boolean canTake() {
        return log.canAppend();
    }

    @Override
    public void onEvent(Run run, long sequence, boolean endOfBatch) {
        if (run.length() > 0) {
            pack(run);
        }
        if (endOfBatch) {
            log.publish();
        }
    }

    private void pack(Run run) {
        RunScan scan = run.scan();
        if (scan == null) {
            // A run from the ring: where its packets end depends on what came before.
            scan = ownScan;
            if (run.frameLength() > 0) {
                scan.assume(run.length(), run.frameLength(), log.openPacketBytes());
            } else {
                scan.scan(run.buffer(), run.offset(), run.length(), log.openPacketBytes());
            }
            if (scan.end() != run.length()) {
                refuseRest(run, scan);
            }
        }
        for (int k = 0; k < scan.packets(); k++) {
            log.packetStartsAt(scan.packetEnd(k), scan.framesBefore(k));
        }
        log.append(run.buffer(), run.offset(), scan.end(), scan.frames());
        if (run.owner() != 0) {
            acks.packed(run.owner(), scan.frames(), log.lastSequence());
        }
    }

    /** A round of the loop is over: whoever waits to be told can be told now. */
    public void tellOwners() {
        acks.flush();
    }

    /**
     * Producers check their runs in the ring or before, so this is a fault of the relay's own. What is whole is relayed, the
     * rest is not: it must neither reach a subscriber nor stop the ring.
     */
    private void refuseRest(Run run, RunScan scan) {
        LOG.error(
                "a run in the ring is not whole frames, which is a fault of the relay: {} of its {} bytes are dropped{}",
                run.length() - scan.end(),
                run.length(),
                scan.problem() == null ? "" : " (" + scan.problemText() + ")");
    }
}
