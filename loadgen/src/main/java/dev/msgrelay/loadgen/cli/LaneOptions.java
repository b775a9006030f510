package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.lane.End;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.shootout.ShootoutSettings.Door;
import dev.msgrelay.loadgen.shootout.ShootoutSettings.Sides;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/** Which lanes, and who is at which end of them. */
final class LaneOptions extends Options {
    /** A side of a lane, as on the command line. */
    enum Side {
        /** With the relay. */
        RELAY(End.NEAR),
        /** Across the link. */
        FAR(End.FAR);

        private final End end;

        Side(End end) {
            this.end = end;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(
            names = "--lanes",
            paramLabel = "LANE",
            split = ",",
            description =
                    "What to compare: loopback, unix, 1gbe, 10gbe, 25gbe (emulated between two network namespaces)."
                            + " Without it: loopback,unix,1gbe,10gbe.")
    private List<String> lanes = new ArrayList<>();

    @Option(
            names = "--mtu",
            paramLabel = "BYTES",
            split = ",",
            description = "Of the emulated links, one lane for each: a list like 1500,9000 (1500).")
    private List<Integer> mtus = new ArrayList<>();

    @Option(
            names = "--publishers-at",
            paramLabel = "SIDE",
            description = "Where publishers live on lanes with two sides: ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
    private Side publishersAt = Side.RELAY;

    @Option(
            names = "--subscribers-at",
            paramLabel = "SIDE",
            description = "Where subscribers live likewise (${DEFAULT-VALUE}).")
    private Side subscribersAt = Side.FAR;

    /** Each lane once, in the order in which they are named. */
    List<LaneSpec> specs() {
        mtus.forEach(mtu -> within("--mtu", mtu, LaneSpec.MIN_MTU, LaneSpec.MAX_MTU));
        List<LaneKind> kinds = kinds();
        refuse(
                !mtus.isEmpty() && kinds.stream().noneMatch(LaneKind::isEmulated),
                "--mtu needs an emulated lane, not --lanes "
                        + kinds.stream().map(LaneKind::title).collect(Collectors.joining(",")));
        List<LaneSpec> specs = new ArrayList<>();
        for (LaneKind kind : kinds) {
            for (int mtu : mtus.isEmpty() ? List.of(LaneSpec.ETHERNET_MTU) : mtus) {
                LaneSpec one = LaneSpec.of(kind).withMtu(mtu);
                if (!specs.contains(one)) {
                    specs.add(one);
                }
            }
        }
        return specs;
    }

    private List<LaneKind> kinds() {
        if (lanes.isEmpty()) {
            return List.of(LaneKind.LOOPBACK, LaneKind.UNIX, LaneKind.GBE_1, LaneKind.GBE_10);
        }
        List<LaneKind> kinds = new ArrayList<>();
        for (String name : lanes) {
            kinds.add(parsed("--lanes: ", name.trim(), LaneKind::parse));
        }
        return kinds;
    }

    Sides sides(Door door) {
        refuse(
                publishersAt == Side.RELAY && subscribersAt == Side.RELAY,
                "--publishers-at relay and --subscribers-at relay leave nobody across the link");
        return new Sides(publishersAt.end, subscribersAt.end, door);
    }
}
