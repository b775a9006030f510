package dev.msgrelay.loadgen.link;

/** Which Internet protocol carries the segments. */
public enum IpVersion {
    V4("IPv4", 20, 68),
    V6("IPv6", 40, 1_280);

    private final String title;
    private final int headerBytes;
    private final int minMtu;

    IpVersion(String title, int headerBytes, int minMtu) {
        this.title = title;
        this.headerBytes = headerBytes;
        this.minMtu = minMtu;
    }

    /** Bytes of a header without options or extensions. */
    public int headerBytes() {
        return headerBytes;
    }

    /** The smallest MTU that a link for this protocol may have, in bytes (RFC 791, RFC 8200). */
    public int minMtu() {
        return minMtu;
    }

    @Override
    public String toString() {
        return title;
    }
}
