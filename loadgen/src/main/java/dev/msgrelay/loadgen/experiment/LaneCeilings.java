package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.lane.Link;
import dev.msgrelay.loadgen.message.BodySizes;
import dev.msgrelay.loadgen.message.LoadMessage;
import dev.msgrelay.loadgen.message.SizeTable;
import dev.msgrelay.loadgen.result.Cell.Ceilings;
import dev.msgrelay.loadgen.result.Cell.Ceilings.Rate;
import dev.msgrelay.protocol.FrameLayout;

/**
 * The most that a link could give to one cell, by arithmetic. Both directions of a link have its full speed, so that the same
 * figures hold for what publishers across it send (ingress), all of them together, and for what subscribers across it
 * get (egress), all of them together; each of <em>n</em> subscribers gets an <em>n</em>th.
 */
public final class LaneCeilings {
    /** As many messages as a distribution of sizes needs to be met to the last one. */
    private static final int MESSAGES = 1 << 16;

    private LaneCeilings() {}

    /**
     * One direction of a link, whoever shares it. With the very sizes that are sent: batched, only their sum matters; one a
     * segment, each has its own wire bytes.
     */
    public static Ceilings of(Link link, BodySizes body) {
        SizeTable sizes = SizeTable.of(body);
        double payload = 0;
        double wire = 0;
        for (int i = 0; i < MESSAGES; i++) {
            int frame = FrameLayout.frameLength(sizes.sizeOf(LoadMessage.stamp(0, i)));
            payload += frame;
            wire += link.format().wireBytesOf(frame);
        }
        double batched = link.payloadBytesPerSecond();
        double single = link.speed().bytesPerSecond() / wire;
        return new Ceilings(
                Ceilings.LINK,
                new Rate(batched / payload * MESSAGES, batched),
                new Rate(single * MESSAGES, single * payload));
    }
}
