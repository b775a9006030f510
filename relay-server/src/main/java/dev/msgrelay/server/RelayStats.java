package dev.msgrelay.server;

import dev.msgrelay.protocol.CloseReason;
import java.util.Map;

/**
 * What a relay has done so far: totals since its start, and where it stands now.
 *
 * @param messagesIn messages in the stream
 * @param bytesIn their bytes, headers included
 * @param messagesOut messages handed to subscribers' sockets, summed over the subscribers
 * @param bytesOut their bytes
 * @param messagesSkipped messages that subscribers with the policy {@code skip} have missed
 * @param publishers connected now
 * @param subscribers connected now
 * @param largestLagBytes of the subscriber that is furthest behind
 * @param largestLagMessages likewise, to the packet
 * @param duplicates messages of acknowledged publishers that were in the stream already and were dropped
 * @param heldBack how often a publisher was not read because the ring had no room
 * @param heldBackNanos how long there was a publisher that was not read, because the ring had no room or the log was not allowed to grow
 * @param backpressureNanos how long the slowest subscriber with the policy {@code backpressure} kept the log from growing
 * @param ringCells of the ring
 * @param ringUsedCells of these, claimed and not consumed yet
 * @param chunksAside chunks of the log that a slow subscriber keeps from being used anew
 * @param loopsInUse event loops at work: one, while the loop that reads also sends; all of them, while others send
 * @param closes closed connections by reason
 */
public record RelayStats(
        long messagesIn,
        long bytesIn,
        long messagesOut,
        long bytesOut,
        long messagesSkipped,
        int publishers,
        int subscribers,
        long largestLagBytes,
        long largestLagMessages,
        long duplicates,
        long heldBack,
        long heldBackNanos,
        long backpressureNanos,
        int ringCells,
        long ringUsedCells,
        int chunksAside,
        int loopsInUse,
        Map<CloseReason, Long> closes) {}
