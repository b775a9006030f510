package dev.msgrelay.loadgen.lane;

/**
 * Describes a lane, which is a network path between relay and clients.
 *
 * @param mtu MTU of an emulated link, in bytes; 0 for other lanes, which use the system's MTU
 * @param name name of a relay that is already running; empty for the lanes of this host
 */
public record LaneSpec(LaneKind kind, int mtu, String name) {
    public static final int ETHERNET_MTU = 1_500;

    /** The size of a packet that every host must accept (RFC 791). */
    public static final int MIN_MTU = 576;

    public static final int MAX_MTU = 9_216;

    public static LaneSpec remote(String name) {
        return new LaneSpec(LaneKind.REMOTE, 0, name);
    }

    /** Returns the lane of a kind. An emulated lane has Ethernet's usual MTU. */
    public static LaneSpec of(LaneKind kind) {
        return new LaneSpec(kind, kind.isEmulated() ? ETHERNET_MTU : 0, "");
    }

    public static LaneSpec parse(String name) {
        return of(LaneKind.parse(name));
    }

    public LaneSpec withMtu(int newMtu) {
        return kind.isEmulated() ? new LaneSpec(kind, newMtu, name) : this;
    }

    public boolean isEmulated() {
        return kind.isEmulated();
    }

    public Link emulatedLink() {
        return isEmulated() ? new Link(kind.speed(), new SegmentFormat(mtu, Framing.TRAFFIC_CONTROL)) : null;
    }

    /** Returns the lane's unique name in result files: "10gbe", "10gbe-mtu9000", or the name of a running relay. */
    public String id() {
        boolean usual = mtu == 0 || mtu == ETHERNET_MTU;
        return kind == LaneKind.REMOTE ? name : kind.title() + (usual ? "" : "-mtu" + mtu);
    }

    public String label() {
        return isEmulated() ? kind + " (emulated, MTU " + mtu + ")" : kind == LaneKind.REMOTE ? name : kind.title();
    }
}
