package dev.msgrelay.loadgen.lane;

/**
 * The description of a lane.
 *
 * @param mtu MTU of an emulated link, in bytes; 0 for other lanes, whose MTU is the system's
 * @param name name of a relay that runs already; empty for the lanes of this host
 */
public record LaneSpec(LaneKind kind, int mtu, String name) {
    /** Ethernet's usual MTU. */
    public static final int ETHERNET_MTU = 1_500;

    /** The longest packet that every host takes (RFC 791). */
    public static final int MIN_MTU = 576;

    /** The largest MTU of common Ethernet interfaces. */
    public static final int MAX_MTU = 9_216;

    public static LaneSpec remote(String name) {
        return new LaneSpec(LaneKind.REMOTE, 0, name);
    }

    /** The lane of a kind, with Ethernet's usual MTU where it is emulated. */
    public static LaneSpec of(LaneKind kind) {
        return new LaneSpec(kind, kind.isEmulated() ? ETHERNET_MTU : 0, "");
    }

    /** The lane of this name, see {@link LaneKind#parse}. */
    public static LaneSpec parse(String name) {
        return of(LaneKind.parse(name));
    }

    /** This lane with another MTU where it is emulated, else unchanged. */
    public LaneSpec withMtu(int newMtu) {
        return kind.isEmulated() ? new LaneSpec(kind, newMtu, name) : this;
    }

    public boolean isEmulated() {
        return kind.isEmulated();
    }

    /** The emulated link, with TCP's time stamps as in a new network namespace; null for other lanes. */
    public Link emulatedLink() {
        return isEmulated() ? new Link(kind.speed(), new SegmentFormat(mtu, Framing.TRAFFIC_CONTROL)) : null;
    }

    /** The lane's unique name in a shootout, the same in each: "10gbe", "10gbe-mtu9000", a relay's name. */
    public String id() {
        boolean usual = mtu == 0 || mtu == ETHERNET_MTU;
        return kind == LaneKind.REMOTE ? name : kind.title() + (usual ? "" : "-mtu" + mtu);
    }

    /** The name for people and results: "loopback", "10gbe (emulated, MTU 1500)". */
    public String label() {
        return isEmulated() ? kind + " (emulated, MTU " + mtu + ")" : kind == LaneKind.REMOTE ? name : kind.title();
    }
}
