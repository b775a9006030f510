package dev.msgrelay.loadgen.lane;

/**
 * Which lane is wanted.
 *
 * @param mtu of an emulated link, in bytes; 0 for the others, whose MTU is what the system says
 * @param name of a relay that runs already; empty for the lanes of this host
 */
public record LaneSpec(LaneKind kind, int mtu, String name) {
    /** Ethernet's MTU unless told otherwise. */
    public static final int ETHERNET_MTU = 1_500;

    /** The packet that every host has to take (RFC 791). */
    public static final int MIN_MTU = 576;

    /** The largest that Ethernet interfaces commonly take. */
    public static final int MAX_MTU = 9_216;

    public static LaneSpec remote(String name) {
        return new LaneSpec(LaneKind.REMOTE, 0, name);
    }

    /** With Ethernet's usual MTU where the lane is emulated. */
    public static LaneSpec of(LaneKind kind) {
        return new LaneSpec(kind, kind.isEmulated() ? ETHERNET_MTU : 0, "");
    }

    /**
     * The same by its name.
     *
     * @throws IllegalArgumentException naming the text and what there is
     */
    public static LaneSpec parse(String name) {
        return of(LaneKind.parse(name));
    }

    /** With another MTU where the lane is emulated; the others stay as they are. */
    public LaneSpec withMtu(int newMtu) {
        return kind.isEmulated() ? new LaneSpec(kind, newMtu, name) : this;
    }

    public boolean isEmulated() {
        return kind.isEmulated();
    }

    /** The emulated link; null for the others. A new network namespace has TCP's time stamps on. */
    public Link emulatedLink() {
        return isEmulated() ? new Link(kind.speed(), new SegmentFormat(mtu, Framing.TRAFFIC_CONTROL)) : null;
    }

    /** Unique among the lanes of a shootout, and the same in every one: "10gbe", "10gbe-mtu9000", a relay's name. */
    public String id() {
        boolean usual = mtu == 0 || mtu == ETHERNET_MTU;
        return kind == LaneKind.REMOTE ? name : kind.title() + (usual ? "" : "-mtu" + mtu);
    }

    /** For people and results: "loopback", "10gbe (emulated, MTU 1500)". */
    public String label() {
        return isEmulated() ? kind + " (emulated, MTU " + mtu + ")" : kind == LaneKind.REMOTE ? name : kind.title();
    }
}
