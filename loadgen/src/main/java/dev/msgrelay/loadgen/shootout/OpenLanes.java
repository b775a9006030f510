package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.lane.LaneUnavailableException;
import java.util.ArrayList;
import java.util.List;

/** The lanes of a shootout: open all the time, closed at its end, however it ends. One thread owns it. */
final class OpenLanes implements AutoCloseable {
    private final List<Lane> lanes = new ArrayList<>();

    /**
     * Opens one.
     *
     * @throws LaneUnavailableException it cannot be had
     */
    Lane open(LaneSpec spec, Equipment.Opener opener) throws LaneUnavailableException, InterruptedException {
        Lane lane = opener.open(spec);
        lanes.add(lane);
        return lane;
    }

    /** Unique within a shootout, and the same in every one: "10gbe", "10gbe-mtu9000". */
    static String nameOf(LaneSpec spec) {
        boolean usual = spec.mtu() == 0 || spec.mtu() == LaneSpec.ETHERNET_MTU;
        return spec.kind().title() + (usual ? "" : "-mtu" + spec.mtu());
    }

    /** As {@link #close}, but waits for nobody: what does not end by itself is ended by force. */
    void closeAtOnce() {
        // Whoever closes waits interruptibly, and goes on to force when it is interrupted.
        Thread.currentThread().interrupt();
        try {
            close();
        } finally {
            Thread.interrupted();
        }
    }

    @Override
    public void close() {
        List<Lane> all = List.copyOf(lanes);
        lanes.clear();
        for (Lane lane : all) {
            lane.close();
        }
    }
}
