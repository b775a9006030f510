package dev.msgrelay.loadgen.bench;

import dev.msgrelay.loadgen.experiment.LoadCell;
import dev.msgrelay.loadgen.load.Check;
import dev.msgrelay.loadgen.measure.PathMtu;
import dev.msgrelay.loadgen.plain.CPrograms;
import dev.msgrelay.loadgen.run.Clients;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.Middle;
import dev.msgrelay.loadgen.run.Middles;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.protocol.TypeRanges;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The cases of the benchmark whose clients are others than loadgen's own. */
final class ClientCases {
    private static final String RELAY = "relay";
    private static final String OTHERWISE = "otherwise";
    private static final int TYPES = 10;
    private static final int CHURN = 200;

    private final Load load;
    private final Timing timing;
    private final int rounds;
    private final Middle relay;

    /**
     * @param load of one publisher and one subscriber at full speed
     * @param relay that takes publishers back where a subscriber is slow: nothing is lost
     */
    ClientCases(Load load, Timing timing, int rounds, Middle relay) {
        this.load = load;
        this.timing = timing;
        this.rounds = rounds;
        this.relay = relay;
    }

    /** All of them that can be measured here. */
    List<BenchCase> all() throws IOException {
        List<BenchCase> all = new ArrayList<>();
        if (obstacleOfC().isEmpty()) {
            all.add(inC("c-one-to-one", 1, 1.0));
            all.add(inC("c-fan-out", 8, 0.9));
        }
        all.add(library());
        all.add(acknowledged());
        all.add(chosen());
        all.add(churn());
        return all;
    }

    /** Why the cases with clients in C are left out, in a line; empty where they are not. */
    static String obstacleOfC() {
        return CPrograms.obstacle();
    }

    /** Clients that cost next to nothing: what is measured is the relay, and one thread in C in its place. */
    private BenchCase inC(String id, int subscribers, double asked) throws IOException {
        Load counted = load.withCounts(1, subscribers).withCheck(Check.NONE).withClients(Clients.of(Clients.Kind.C));
        Middle reference = Middles.c(PathMtu.loopbackSegment());
        return against(
                id,
                "1 -> relay -> " + subscribers + ", clients in C (unchecked)",
                Cases.cell(RELAY, relay, counted, timing),
                Cases.cell(OTHERWISE, reference, counted, timing),
                Metric.atLeast(asked, "of the relay in C", ClientCases::deliveries));
    }

    private BenchCase library() {
        return against(
                "library",
                "1 -> relay -> 1, publisher and subscriber of relay-client",
                Cases.cell(RELAY, relay, load.withClients(library(TypeRanges.ALL, false)), timing),
                Cases.cell(OTHERWISE, relay, load, timing),
                Metric.atLeast(0.25, "of loadgen's own clients", ClientCases::deliveries));
    }

    private BenchCase acknowledged() {
        return against(
                "acknowledged",
                "1 -> relay -> 1, every message acknowledged",
                Cases.cell(RELAY, relay, load.withClients(library(TypeRanges.ALL, true)), timing),
                Cases.cell(OTHERWISE, relay, load.withClients(library(TypeRanges.ALL, false)), timing),
                Metric.atLeast(0.9, "of the same without acknowledgements", ClientCases::deliveries));
    }

    /** Those who choose cost the relay a look at each message, and save what is not sent. */
    private BenchCase chosen() {
        Load types = load.withCounts(1, 8).withContent(new Load.Content(load.body(), load.seed(), TYPES));
        return against(
                "filtered",
                "1 -> relay -> 8 that choose 1 of " + TYPES + " types",
                Cases.cell(RELAY, relay, types.withClients(library(TypeRanges.of(1, 1), false)), timing),
                Cases.cell(OTHERWISE, relay, types.withClients(library(TypeRanges.ALL, false)), timing),
                Metric.atLeast(
                        1.0,
                        "of the publisher's rate where all get all",
                        round -> published(round, RELAY) / published(round, OTHERWISE)));
    }

    private BenchCase churn() {
        Load eight = load.withCounts(1, 8);
        return against(
                "churn",
                "1 -> relay -> 8 beside " + CHURN + " connections/s that come and go",
                Cases.cell(
                        RELAY,
                        relay,
                        eight.withClients(new Clients(Clients.Kind.RAW, false, TypeRanges.ALL, CHURN)),
                        timing),
                Cases.cell(OTHERWISE, relay, eight, timing),
                Metric.atLeast(0.8, "of the rate without them", ClientCases::deliveries));
    }

    private static Clients library(TypeRanges wanted, boolean acks) {
        return new Clients(Clients.Kind.LIBRARY, acks, wanted, 0);
    }

    private BenchCase against(String id, String title, LoadCell ours, LoadCell otherwise, Metric metric) {
        return new BenchCase(id, title, List.of(ours, otherwise), List.of(), List.of(metric), rounds);
    }

    private static double deliveries(Round round) {
        return round.rate(RELAY) / round.rate(OTHERWISE);
    }

    private static double published(Round round, String name) {
        return round.figure(name, result -> result.published().traffic().messagesPerSecond());
    }
}
