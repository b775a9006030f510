package dev.msgrelay.loadgen.lane;

/**
 * The headers of segments on a link: IPv4, TCP with time stamps. All sizes are bytes.
 *
 * @param mtu largest IP packet of the link, without Ethernet's header and checksum
 * @param framing parts of a frame that take the link's time
 */
public record SegmentFormat(int mtu, Framing framing) {
    /** The least MTU of a link (RFC 791). */
    public static final int MIN_MTU = 68;
    /** The largest MTU: no IPv4 packet is longer. */
    public static final int MAX_MTU = 65_535;

    /** IP and TCP, 20 each, and the time stamps that Linux sends by default. */
    private static final int HEADERS = 20 + 20 + 12;

    private static final int MAC_HEADER = 14;

    public SegmentFormat {
        if (mtu < MIN_MTU || mtu > MAX_MTU) {
            throw new IllegalArgumentException("MTU " + mtu + " is not within " + MIN_MTU + ".." + MAX_MTU);
        }
    }

    public static SegmentFormat usual(int mtu) {
        return new SegmentFormat(mtu, Framing.ETHERNET);
    }

    public int segmentBytes() {
        return mtu - HEADERS;
    }

    /** Bytes of the link's time for a segment with this payload; on Ethernet with preamble and gap. */
    public int wireBytes(int payload) {
        return framing.wireBytes(MAC_HEADER + HEADERS + payload);
    }

    /** Bytes of the link's time for {@code bytes} that are sent together: full segments, and one with the rest. */
    public long wireBytesOf(long bytes) {
        long full = bytes / segmentBytes();
        int rest = (int) (bytes % segmentBytes());
        return full * wireBytes(segmentBytes()) + (rest == 0 ? 0 : wireBytes(rest));
    }

    /** "MTU 1500", "MTU 1500, emulated by tc". */
    @Override
    public String toString() {
        return "MTU " + mtu + (framing == Framing.ETHERNET ? "" : ", emulated by tc");
    }
}
