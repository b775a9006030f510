package dev.msgrelay.loadgen.lane;

import java.util.Locale;

/** How many bytes of a link's capacity an Ethernet frame takes. */
public enum Framing {
    /** On a real link, preamble, checksum and gap take time as well, and no frame is shorter than 64 bytes. */
    ETHERNET(8 + 4 + 12, 64 - 4),

    /**
     * On an emulated link, Linux's traffic control limits the rate ({@code tc tbf}). It counts a frame from its MAC
     * header to the end of the packet, without padding. So an emulated gigabit link carries 1.6 % more than a real one.
     */
    TRAFFIC_CONTROL(0, 0);

    private final int around;
    private final int least;

    Framing(int around, int least) {
        this.around = around;
        this.least = least;
    }

    /** Returns how many bytes of the link's capacity a frame takes. */
    int wireBytes(int frame) {
        return around + Math.max(frame, least);
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
