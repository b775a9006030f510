package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.link.LinkCeiling;
import dev.msgrelay.loadgen.link.LinkRate;
import dev.msgrelay.loadgen.link.LinkSpeed;
import dev.msgrelay.loadgen.link.SegmentFormat;
import dev.msgrelay.loadgen.load.BodySizes;
import dev.msgrelay.loadgen.load.LoadMessage;
import dev.msgrelay.loadgen.load.SizeTable;
import dev.msgrelay.loadgen.result.Cell.Ceilings;
import dev.msgrelay.loadgen.result.Cell.Ceilings.Rate;
import dev.msgrelay.protocol.FrameLayout;

/**
 * What a link could give to one cell, by arithmetic. Both directions of a link have its full speed, so that the same
 * figures hold for what publishers across it send (ingress), all of them together, and for what subscribers across it
 * get (egress), all of them together; each of <em>n</em> subscribers gets an <em>n</em>th.
 */
public final class LaneCeilings {
    /** As many messages as a distribution of sizes needs to be met to the last one. */
    private static final int MESSAGES = 1 << 16;

    private LaneCeilings() {}

    /** One direction of a link, whoever shares it. */
    public static Ceilings of(LinkSpeed speed, SegmentFormat format, BodySizes body) {
        return body.isFixed() ? fixed(speed, format, body.min()) : mixed(speed, format, body);
    }

    private static Ceilings fixed(LinkSpeed speed, SegmentFormat format, int body) {
        LinkCeiling ceiling = new LinkCeiling(speed, format, body);
        return new Ceilings(Ceilings.LINK, rate(ceiling.batched()), rate(ceiling.single()));
    }

    private static Rate rate(LinkRate rate) {
        return new Rate(rate.messagesPerSecond(), rate.bytesPerSecond());
    }

    /** With the very sizes that are sent: batched, only their sum matters; one a segment, each has its own wire bytes. */
    private static Ceilings mixed(LinkSpeed speed, SegmentFormat format, BodySizes body) {
        SizeTable sizes = SizeTable.of(body, 0);
        double payload = 0;
        double wire = 0;
        for (int i = 0; i < MESSAGES; i++) {
            int frame = FrameLayout.frameLength(sizes.sizeOf(LoadMessage.stamp(0, i)));
            payload += frame;
            wire += format.wireBytesOf(frame);
        }
        double batchedBytes = speed.bytesPerSecond() * format.segmentBytes() / format.wireBytes(format.segmentBytes());
        double single = speed.bytesPerSecond() / wire;
        return new Ceilings(
                Ceilings.LINK,
                new Rate(batchedBytes / payload * MESSAGES, batchedBytes),
                new Rate(single * MESSAGES, single * payload));
    }
}
