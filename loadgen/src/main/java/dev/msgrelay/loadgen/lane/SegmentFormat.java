package dev.msgrelay.loadgen.lane;

/** The format of TCP segments on a link: IPv4, and TCP with time stamps. All sizes are in bytes. */
public record SegmentFormat(int mtu, Framing framing) {
    /** The smallest MTU that IPv4 permits (RFC 791). */
    public static final int MIN_MTU = 68;

    public static final int MAX_MTU = 65_535;

    /** Headers of IP and TCP, 20 bytes each, and the time stamps that Linux sends by default. */
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

    /**
     * Returns how many bytes of the link's capacity a segment with this payload takes. On Ethernet, preamble and gap
     * are included.
     */
    public int wireBytes(int payload) {
        return framing.wireBytes(MAC_HEADER + HEADERS + payload);
    }

    /**
     * Returns how many bytes of the link's capacity a payload takes, if it is sent in full segments and one last
     * segment with the rest.
     *
     * @param bytes length of the payload
     */
    public long wireBytesOf(long bytes) {
        long full = bytes / segmentBytes();
        int rest = (int) (bytes % segmentBytes());
        return full * wireBytes(segmentBytes()) + (rest == 0 ? 0 : wireBytes(rest));
    }

    @Override
    public String toString() {
        return "MTU " + mtu + (framing == Framing.ETHERNET ? "" : ", emulated by tc");
    }
}
