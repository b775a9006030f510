package dev.msgrelay.loadgen.link;

/**
 * How segments are wrapped on a link; see the package for the picture. All sizes are bytes.
 *
 * @param mtu of the link: the largest IP packet; the Ethernet header, a VLAN tag and the checksum come on top
 * @param timestamps TCP's time-stamp option, which Linux uses unless told otherwise
 * @param vlan an 802.1Q tag on every frame
 * @param framing what of a frame counts
 */
public record SegmentFormat(int mtu, IpVersion ip, boolean timestamps, boolean vlan, Framing framing) {
    /** The largest MTU: no IPv4 packet is longer. */
    public static final int MAX_MTU = 65_535;

    private static final int TCP_HEADER = 20;
    private static final int TIMESTAMP_OPTION = 12;

    private static final int MAC_HEADER = 14;
    private static final int VLAN_TAG = 4;

    /**
     * @throws IllegalArgumentException naming the MTU and its limits
     */
    public SegmentFormat {
        if (mtu < ip.minMtu() || mtu > MAX_MTU) {
            throw new IllegalArgumentException(
                    "MTU " + mtu + " is not within " + ip.minMtu() + ".." + MAX_MTU + " for " + ip);
        }
    }

    /** IPv4 with time stamps and no tag on Ethernet: what Linux sends by default. */
    public static SegmentFormat usual(int mtu) {
        return new SegmentFormat(mtu, IpVersion.V4, true, false, Framing.ETHERNET);
    }

    /** Payload of a full segment. */
    public int segmentBytes() {
        return mtu - headerBytes();
    }

    /** What a segment with this payload takes of the link's time; on Ethernet from its preamble to the end of its gap. */
    public int wireBytes(int payload) {
        return framing.wireBytes(MAC_HEADER + (vlan ? VLAN_TAG : 0) + headerBytes() + payload);
    }

    /** The same for as many segments as {@code bytes} sent in one go need: full ones, and the rest in a last one. */
    public long wireBytesOf(long bytes) {
        long full = bytes / segmentBytes();
        int rest = (int) (bytes % segmentBytes());
        return full * wireBytes(segmentBytes()) + (rest == 0 ? 0 : wireBytes(rest));
    }

    private int headerBytes() {
        return ip.headerBytes() + TCP_HEADER + (timestamps ? TIMESTAMP_OPTION : 0);
    }

    /** "MTU 1500, IPv4, TCP time stamps, VLAN tag". */
    @Override
    public String toString() {
        return "MTU " + mtu + ", " + ip + (timestamps ? ", TCP time stamps" : ", no TCP time stamps")
                + (vlan ? ", VLAN tag" : "") + (framing == Framing.ETHERNET ? "" : ", emulated by tc");
    }
}
