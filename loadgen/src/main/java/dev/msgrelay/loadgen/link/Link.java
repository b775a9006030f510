package dev.msgrelay.loadgen.link;

/**
 * What is known of a link: enough to compute what it could give.
 *
 * @param speed in each direction; null where neither the system nor the user tells it
 */
public record Link(LinkSpeed speed, SegmentFormat format) {
    /** The most that messages with bodies of {@code body} bytes can get out of one direction. */
    public LinkCeiling ceiling(int body) {
        return new LinkCeiling(speed, format, body);
    }

    /** TCP payload a second in one direction, in full segments back to back. */
    public double payloadBytesPerSecond() {
        int segment = format.segmentBytes();
        return speed.bytesPerSecond() * segment / format.wireBytes(segment);
    }

    /** "10 Gbit/s, MTU 1500, IPv4, TCP time stamps". */
    @Override
    public String toString() {
        return (speed == null ? "unknown speed" : speed) + ", " + format;
    }
}
