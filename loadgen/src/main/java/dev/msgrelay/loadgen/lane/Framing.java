package dev.msgrelay.loadgen.lane;

import java.util.Locale;

/** Parts of a frame that take the link's time. */
public enum Framing {
    /** A wire: preamble, frame with its checksum, gap; no frame is shorter than 64 bytes. */
    ETHERNET(8 + 4 + 12, 64 - 4),

    /**
     * A rate that Linux' traffic control keeps ({@code tc tbf}), as on emulated links: it counts a frame from its MAC
     * header to the end of the packet, and nothing is padded. So an emulated gigabit is 1.6 % more than a real one.
     */
    TRAFFIC_CONTROL(0, 0);

    private final int around;
    private final int least;

    Framing(int around, int least) {
        this.around = around;
        this.least = least;
    }

    /** Bytes of the link's time for a frame; {@code frame} is from the MAC header to the end of the packet. */
    int wireBytes(int frame) {
        return around + Math.max(frame, least);
    }

    /** The name in results: "traffic control". */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
