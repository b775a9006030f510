package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.lane.LaneUnavailableException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The lanes of a shootout: open all the time, closed at its end, however it ends. One thread owns it. */
final class OpenLanes implements AutoCloseable {
    private final Map<String, Lane> lanes = new LinkedHashMap<>();
    private final Map<String, String> skipped = new LinkedHashMap<>();

    /** Opens all that can be had. */
    void open(List<LaneSpec> specs, LaneOpener opener) throws InterruptedException {
        for (LaneSpec spec : specs) {
            add(spec, opener);
        }
    }

    private void add(LaneSpec spec, LaneOpener opener) throws InterruptedException {
        try {
            lanes.put(nameOf(spec), opener.open(spec));
        } catch (LaneUnavailableException e) {
            skipped.put(nameOf(spec), e.getMessage());
        }
    }

    /** Unique within a shootout, and the same in every one: "10gbe", "10gbe-mtu9000". */
    static String nameOf(LaneSpec spec) {
        boolean usual = spec.mtu() == 0 || spec.mtu() == LaneSpec.ETHERNET_MTU;
        return spec.kind().title() + (usual ? "" : "-mtu" + spec.mtu());
    }

    /** Those that are open, by name, in the order in which they were asked for. */
    Map<String, Lane> lanes() {
        return lanes;
    }

    /** Why a lane cannot be had, or null. */
    String whySkipped(String name) {
        return skipped.get(name);
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
        List<Lane> all = new ArrayList<>(lanes.values());
        lanes.clear();
        for (Lane lane : all) {
            lane.close();
        }
    }
}
