package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.host.Nic;
import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.lane.Link;
import dev.msgrelay.loadgen.lane.LinkSpeed;
import dev.msgrelay.loadgen.lane.SegmentFormat;
import dev.msgrelay.loadgen.message.Check;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Load.Transport;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Cell.Ceilings;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.LaneResult.Place;
import dev.msgrelay.loadgen.result.LaneResult.Places;
import dev.msgrelay.loadgen.rig.Contestant;
import dev.msgrelay.loadgen.rig.Contestants;
import dev.msgrelay.loadgen.rig.LoadRun;
import dev.msgrelay.loadgen.rig.Plan;
import dev.msgrelay.loadgen.rig.RelayContestant;
import dev.msgrelay.loadgen.rig.RemoteRelay;
import dev.msgrelay.loadgen.rig.Rig;
import dev.msgrelay.loadgen.rig.RunException;
import dev.msgrelay.loadgen.rig.RunObserver;
import dev.msgrelay.server.host.SystemTree;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** An open lane, and the relay to be measured at its near end. */
public record Way(Lane lane, Places places, Contestant relay, List<String> notes) implements AutoCloseable {
    /** Size of a write and of the plain relay's buffer: the payload of one packet over Linux's loopback, in bytes. */
    public static final int SIZE = 65_483;

    private static final Contestant SENDER = Contestants.direct(128 << 10);

    private static final Load COUNTED = Load.oneToOne(100).withCheck(Check.NONE);
    /** Times of the run that tests a new lane. The run fails if no bytes arrive. */
    private static final Timing TRIAL = new Timing(Duration.ZERO, Duration.ofMillis(20));

    public Way(Lane lane, Places places, Contestant relay) {
        this(lane, places, relay, List.of());
    }

    /**
     * Opens a lane of this host. If the lane is emulated, a short run tests it.
     *
     * @throws IOException if the lane cannot be opened; the message is a one-line reason. No process is left behind.
     */
    public static Way open(LaneSpec spec, List<String> relayArgs, List<String> javaOptions)
            throws IOException, InterruptedException {
        Places places = spec.isEmulated() ? new Places(Place.NEAR, Place.FAR) : Places.NEAR;
        Lane lane = Lane.open(spec, new Subprocess());
        Way way = new Way(lane, places, new RelayContestant(relayArgs, javaOptions));
        if (!spec.isEmulated()) {
            return way;
        }
        try {
            LoadRun.alone(way.sender(TRIAL), 0, RunObserver.NONE);
            return way;
        } catch (IOException | RunException e) {
            lane.close();
            throw new IOException("nothing passes through it: " + e.getMessage(), e);
        } catch (InterruptedException | RuntimeException e) {
            lane.close();
            throw e;
        }
    }

    /**
     * Prepares the measurement of a relay that is already running. All clients are at the far end of the link. If
     * {@code speed} is empty, the link has the speed of this host's network interface.
     */
    public static Way to(String name, RemoteRelay relay, Optional<LinkSpeed> speed) {
        Optional<Nic> nic = relay.publish().isUnix()
                ? Optional.empty()
                : Nic.towards(SystemTree.ofThisHost(), relay.publish().host());
        return to(name, relay, speed, nic);
    }

    static Way to(String name, RemoteRelay relay, Optional<LinkSpeed> speed, Optional<Nic> nic) {
        Optional<LinkSpeed> nicSpeed =
                nic.filter(one -> one.megabits() > 0).map(one -> LinkSpeed.ofMegabits(one.megabits()));
        Optional<LinkSpeed> linkSpeed = speed.or(() -> nicSpeed);
        SegmentFormat format = SegmentFormat.usual(nic.filter(one -> one.mtu() > 0)
                .map(one -> Math.min(one.mtu(), SegmentFormat.MAX_MTU))
                .orElse(LaneSpec.ETHERNET_MTU));
        Link link = linkSpeed.map(known -> new Link(known, format)).orElse(null);
        Lane lane = Lane.between(LaneSpec.remote(name), Site.HERE, Site.HERE, link);
        List<String> notes = new ArrayList<>();
        if (nic.isPresent() && nicSpeed.isEmpty()) {
            notes.add(name + ": " + nic.get().text() + (speed.isEmpty() ? ": say link=SPEED in --connect" : ""));
        } else if (nic.isPresent() && !linkSpeed.equals(nicSpeed)) {
            notes.add(name + ": " + nic.get().text() + ", not the " + speed.get()
                    + " that were given: the share is of those");
        }
        return new Way(lane, new Places(Place.FAR, Place.FAR), relay, notes);
    }

    /** Returns a lane that is never opened, from which only the work of a shootout is estimated. */
    static Way onPaper(LaneSpec spec) {
        Lane lane = Lane.between(spec, Site.HERE, Site.HERE, spec.emulatedLink());
        return new Way(lane, Places.NEAR, SENDER);
    }

    public String name() {
        return lane.spec().id();
    }

    /** Whether the plain relay can measure the ceiling, because there is no link between the lane's ends. */
    public boolean isLocal() {
        return lane.link() == null && lane.spec().kind() != LaneKind.REMOTE;
    }

    List<Load> transported(Load load) {
        boolean both = lane.spec().kind() != LaneKind.REMOTE && !load.clients().tls();
        return lane.unix()
                ? List.of(load.withTransport(Transport.UNIX))
                : both ? List.of(load, load.withTransport(Transport.UNIX_IN)) : List.of(load);
    }

    public Ceilings linkCeilings(Load load) {
        return lane.link() == null ? null : Ceilings.of(lane.link(), load.sizes());
    }

    public Plan plan(Load load, Timing timing, Rig rig) {
        return plan("", relay, load, timing, rig);
    }

    /** Plans a run in which one process sends prepared frames to one subscriber that only counts bytes. */
    public Plan direct(Load load, Timing timing, Rig rig) {
        Load one = load.ofPlainRelay().withCounts(1, 1).withCheck(Check.NONE);
        return plan(", ceiling: direct", Contestants.direct(SIZE), one, timing, rig);
    }

    public Plan plain(Load load, Timing timing, Rig rig) {
        return plan(", ceiling: plain relay", Contestants.plain(SIZE), load.ofPlainRelay(), timing, rig);
    }

    Plan sender(Timing timing) {
        return plan(" without a relay", SENDER, COUNTED, timing, Rig.OWN);
    }

    Plan plan(String what, Contestant contestant, Load load, Timing timing, Rig rig) {
        Load over = lane.unix() ? load.withTransport(Transport.UNIX) : load;
        return new Plan(
                lane.label() + what + ", " + over,
                "lane " + name(),
                contestant,
                lane.placement(),
                places,
                linkCeilings(load),
                over,
                timing,
                rig);
    }

    public LaneResult result(List<Cell> cells) {
        LaneSpec spec = lane.spec();
        return new LaneResult(name(), spec.kind(), spec.isEmulated(), null, lane.link(), places, cells);
    }

    @Override
    public void close() {
        lane.close();
    }
}
