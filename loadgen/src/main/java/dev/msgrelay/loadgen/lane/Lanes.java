package dev.msgrelay.loadgen.lane;

import dev.msgrelay.loadgen.host.LaneTools;
import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.host.Tool;
import dev.msgrelay.loadgen.link.Link;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.site.Site;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** Opens lanes. */
public final class Lanes {
    /** That a connection stands and bytes have passed is what a run waits for before its window begins. */
    private static final Timing CHECK = new Timing(Duration.ZERO, Duration.ofMillis(20));

    private Lanes() {}

    /**
     * Opens a lane of this host. An emulated one has been built and tried when this returns, which takes about a second:
     * bytes went from a process at its one end to a process at the other.
     *
     * @throws LaneUnavailableException it cannot be had here, and nothing of it is left
     * @throws IllegalArgumentException a remote lane: see {@link #between}
     */
    public static Lane open(LaneSpec spec) throws LaneUnavailableException, InterruptedException {
        return open(spec, new Subprocess());
    }

    static Lane open(LaneSpec spec, Tool tool) throws LaneUnavailableException, InterruptedException {
        if (spec.kind() == LaneKind.REMOTE) {
            throw new IllegalArgumentException("a remote lane is made of the sites that it has");
        }
        return spec.isEmulated() ? emulated(spec, tool) : between(spec, Site.HERE, Site.HERE, null);
    }

    /**
     * A lane between sites that exist anyway, such as two hosts.
     *
     * @param link what is known about it, or null
     */
    public static Lane between(LaneSpec spec, Site near, Site far, Link link) {
        return new PlainLane(spec, near, far, link);
    }

    /**
     * Which lanes this host can have by itself, as far as that shows without building them.
     *
     * @param mtu of the emulated ones
     */
    public static List<LaneStatus> survey(int mtu, Tool tool) throws InterruptedException {
        String reason = LaneTools.probe(tool).reason();
        return Arrays.stream(LaneKind.values())
                .filter(kind -> kind != LaneKind.REMOTE)
                .map(kind -> new LaneStatus(LaneSpec.of(kind).withMtu(mtu), kind.isEmulated() ? reason : null))
                .toList();
    }

    private static Lane emulated(LaneSpec spec, Tool tool) throws LaneUnavailableException, InterruptedException {
        LaneTools tools = LaneTools.probe(tool);
        if (!tools.available()) {
            throw new LaneUnavailableException(tools.reason());
        }
        EmulatedLane lane;
        try {
            lane = EmulatedLane.build(spec, tool, tools.inUserNamespace());
        } catch (IOException e) {
            throw new LaneUnavailableException(e.getMessage(), e);
        }
        try {
            LinkBaseline.raw(lane, End.NEAR, CHECK, RunObserver.NONE);
            return lane;
        } catch (IOException | RunException e) {
            lane.close();
            throw new LaneUnavailableException("nothing passes through it: " + e.getMessage(), e);
        } catch (InterruptedException | RuntimeException e) {
            lane.close();
            throw e;
        }
    }
}
