package dev.msgrelay.loadgen.kill;

import dev.msgrelay.cluster.Leader;
import dev.msgrelay.loadgen.kill.Client.Role;
import dev.msgrelay.loadgen.result.Spread;
import dev.msgrelay.loadgen.run.RunException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Three nodes under load, and what goes wrong with machines: one thing after the other, each when the nodes have got over the one
 * before. What and when a seed says. The calling thread does it all.
 */
public final class ClusterCampaign {
    /** Of so many nodes that are killed one is killed again before it is ready. */
    private static final int ONE_IN = 4;

    private static final int LEAST_BEFORE_MILLIS = 200;
    private static final int MOST_BEFORE_MILLIS = 1_000;

    /** Longer than a leader may be silent, and than an election takes. */
    private static final int LEAST_FAULT_MILLIS = 3_000;

    private static final int MOST_FAULT_MILLIS = 6_000;

    private static final int MOST_START_MILLIS = 1_500;

    /** What a message of a campaign is in memory and on a disk at most, on average. */
    private static final long MESSAGE_BYTES = 300;

    private static final long LONGEST_INCIDENT_SECONDS = 30;
    private static final long MEGA = 1 << 20;
    private static final long LEAST_LOG_MEGABYTES = 64;
    private static final long MOST_LOG_MEGABYTES = 1_024;

    /** Of an archive that still records: it wants this much to be free. */
    private static final long DISK_BESIDE_MEGABYTES = 384;

    private final ClusterRig rig;
    private final SplittableRandom random;
    private final Consumer<String> progress;
    private final List<Kind> kinds;
    private final List<Moment> moments = new ArrayList<>();
    private final List<String> findings = new ArrayList<>();
    private final Map<Kind, Integer> ended = new EnumMap<>(Kind.class);

    /** What goes wrong. */
    public enum Kind {
        LEADER("the leader is killed", false),
        FOLLOWER("a follower is killed", false),
        CLIENT("a client is killed", false),
        PAUSE("a node is stopped for 3 to 6 s", true),
        LINK("links are cut for 3 to 6 s", true),
        DISK("a node's disk is full for 3 to 6 s", true);

        private final String text;
        private final boolean mayEnd;

        /** @param mayEnd whether a node to which it happens may end, if it comes back */
        Kind(String text, boolean mayEnd) {
            this.text = text;
            this.mayEnd = mayEnd;
        }

        public String text() {
            return text;
        }

        /** As options name it. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Why it cannot be done here; null where it can. */
        private String obstacle() throws InterruptedException {
            return switch (this) {
                case LINK -> NodeNetwork.obstacle();
                case DISK -> LoopDisk.obstacle("a full disk");
                default -> null;
            };
        }
    }

    /** From then on it is so. */
    private record Moment(Kind kind, long nanos) {}

    /**
     * How often something went wrong, and for how long nothing was acknowledged then, in seconds.
     *
     * @param nodesEnded nodes that ended by themselves, and were started again
     * @param least of the publisher that waited least: until the cluster acknowledged again
     * @param most of the publisher that waited longest
     */
    public record Incidents(Kind kind, int times, int nodesEnded, Waits least, Waits most) {}

    /** NaN where there are none. */
    public record Waits(double medianSeconds, double worstSeconds) {
        static Waits of(List<double[]> seconds, ToDoubleFunction<double[]> which) {
            Spread spread = Spread.of(seconds, which);
            return new Waits(spread.median(), spread.max());
        }
    }

    /**
     * What a node gives in the end.
     *
     * @param digest of all messages, in their order
     */
    public record Stream(int node, long messages, String digest, Account.Row account) {}

    /**
     * What came of it.
     *
     * @param skipped what could not be done here, and why
     * @param findings what is wrong; empty: nothing
     */
    public record Outcome(
            int nodes,
            boolean sync,
            Campaign.Load load,
            List<Incidents> incidents,
            List<Stream> streams,
            List<String> skipped,
            List<String> findings) {
        public Outcome {
            incidents = List.copyOf(incidents);
            streams = List.copyOf(streams);
            skipped = List.copyOf(skipped);
            findings = List.copyOf(findings);
        }

        /** Whether something was done, and everything is as it ought to be. */
        public boolean passed() {
            return findings.isEmpty() && !streams.isEmpty();
        }
    }

    private ClusterCampaign(ClusterRig rig, List<Kind> kinds, SplittableRandom random, Consumer<String> progress) {
        this.rig = rig;
        this.kinds = kinds;
        this.random = random;
        this.progress = progress;
    }

    /**
     * Has so many things go wrong, ends in order, and makes the account of each node.
     *
     * @param load publishers and subscribers of each node
     * @param wanted what may go wrong; what cannot be done here is left out, and said
     * @param directory an empty one
     * @param progress takes a line for each
     * @throws RunException a client has failed, or the cluster did not come back: what it waited for, and how nodes ended
     */
    public static Outcome run(
            Campaign.Load load,
            boolean sync,
            int times,
            Set<Kind> wanted,
            SplittableRandom random,
            Path directory,
            Consumer<String> progress)
            throws IOException, RunException, InterruptedException {
        List<String> skipped = new ArrayList<>();
        List<Kind> kinds = new ArrayList<>();
        String none = ClusterRig.obstacle();
        for (Kind kind : Kind.values()) {
            String obstacle = !wanted.contains(kind) ? "" : none == null ? kind.obstacle() : none;
            if (obstacle == null) {
                kinds.add(kind);
            } else if (!obstacle.isEmpty()) {
                skipped.add(kind.text() + ": " + obstacle);
            }
        }
        if (kinds.isEmpty()) {
            return new Outcome(ClusterRig.NODES, sync, load, List.of(), List.of(), skipped, List.of());
        }
        long messages = (long) times * LONGEST_INCIDENT_SECONDS * load.rate() * load.publishers() * ClusterRig.NODES;
        long stream = messages * MESSAGE_BYTES / MEGA;
        ClusterRig.Options options = new ClusterRig.Options(
                sync,
                (int) Long.highestOneBit(Math.max(LEAST_LOG_MEGABYTES, Math.min(2 * stream, MOST_LOG_MEGABYTES))),
                kinds.contains(Kind.DISK) ? (int) (stream + DISK_BESIDE_MEGABYTES) : 0);
        try (NodeNetwork network = kinds.contains(Kind.LINK)
                        ? NodeNetwork.inNamespaces(ClusterRig.NODES)
                        : NodeNetwork.onLoopback(ClusterRig.NODES);
                ClusterRig rig = new ClusterRig(load, options, network, directory)) {
            ClusterCampaign campaign = new ClusterCampaign(rig, kinds, random, progress);
            progress.accept(ClusterRig.NODES + " nodes, " + rig.clients().all().size() + " clients");
            rig.start();
            rig.awaitAcknowledged();
            Pace pace = new Pace("incident", times);
            while (pace.done() < times) {
                campaign.next(pace);
            }
            progress.accept("the end: all that is under way is acknowledged, each node gives its stream to a reader");
            Map<Integer, Path> streams = rig.finish();
            progress.accept("reading the streams and the notebooks");
            return campaign.outcome(load, sync, skipped, streams);
        }
    }

    // ---- what goes wrong ---------------------------------------------------------------------------------------

    private void next(Pace pace) throws IOException, RunException, InterruptedException {
        Kind kind = kinds.get(random.nextInt(kinds.size()));
        TimeUnit.MILLISECONDS.sleep(random.nextInt(LEAST_BEFORE_MILLIS, MOST_BEFORE_MILLIS));
        Leader leader = rig.leader();
        int any = random.nextInt(1, ClusterRig.NODES + 1);
        int follower = (leader.node() + random.nextInt(ClusterRig.NODES - 1)) % ClusterRig.NODES + 1;
        switch (kind) {
            case LEADER -> kill(pace, kind, leader.node(), leader);
            case FOLLOWER -> kill(pace, kind, follower, leader);
            case CLIENT -> killClient(pace);
            case PAUSE -> pause(pace, any, leader);
            case LINK -> cut(pace, any, leader);
            case DISK -> fill(pace, any, leader);
        }
        rig.awaitReady();
        rig.awaitAcknowledged();
        List<String> ends = rig.endedByThemselves();
        ended.merge(kind, ends.size(), Integer::sum);
        ends.forEach(end -> progress.accept("  " + end));
        if (!kind.mayEnd) {
            ends.forEach(end -> find(kind.text() + ", and " + end));
        }
    }

    private void say(Pace pace, Kind kind, String text, Leader leader) {
        progress.accept(pace.next(kind + ": " + text + (leader == null ? "" : "; node " + leader.node() + " leads")));
    }

    private void happened(Kind kind) {
        moments.add(new Moment(kind, System.nanoTime()));
    }

    private void kill(Pace pace, Kind kind, int node, Leader leader)
            throws IOException, RunException, InterruptedException {
        boolean early = random.nextInt(ONE_IN) == 0;
        int down = random.nextInt(MOST_START_MILLIS);
        int again = random.nextInt(MOST_START_MILLIS);
        say(pace, kind, "kill -9 of node " + node, leader);
        happened(kind);
        rig.kill(node);
        if (kind == Kind.LEADER) {
            rig.leaderBehind(leader.term());
        }
        rig.awaitAcknowledged();
        TimeUnit.MILLISECONDS.sleep(down);
        rig.start(node);
        if (early) {
            TimeUnit.MILLISECONDS.sleep(again);
            rig.kill(node);
            rig.start(node);
        }
    }

    private void killClient(Pace pace) throws IOException, InterruptedException {
        List<Client> all = rig.clients().all();
        Client client = all.get(random.nextInt(all.size()));
        say(pace, Kind.CLIENT, "kill -9 of " + client.name(), null);
        happened(Kind.CLIENT);
        rig.clients().kill(client);
        rig.clients().start(client);
    }

    private int faultMillis() {
        return random.nextInt(LEAST_FAULT_MILLIS, MOST_FAULT_MILLIS);
    }

    private void pause(Pace pace, int node, Leader leader) throws IOException, InterruptedException {
        int millis = faultMillis();
        say(pace, Kind.PAUSE, "node " + node + " for " + millis + " ms", leader);
        happened(Kind.PAUSE);
        rig.signal("STOP", node);
        TimeUnit.MILLISECONDS.sleep(millis);
        rig.signal("CONT", node);
    }

    /** Between two nodes, one way or both, or all of one node's. */
    private void cut(Pace pace, int node, Leader leader) throws IOException, InterruptedException {
        int millis = faultMillis();
        int other = (node + random.nextInt(ClusterRig.NODES - 1)) % ClusterRig.NODES + 1;
        int how = random.nextInt(3);
        List<int[]> ways = new ArrayList<>();
        for (int peer = 1; peer <= ClusterRig.NODES; peer++) {
            if (peer == other || how == 2 && peer != node) {
                ways.add(new int[] {node, peer});
                if (how > 0) {
                    ways.add(new int[] {peer, node});
                }
            }
        }
        String text = ways.stream().map(way -> way[0] + "->" + way[1]).collect(Collectors.joining(", "));
        say(pace, Kind.LINK, text + " for " + millis + " ms", leader);
        happened(Kind.LINK);
        for (int[] way : ways) {
            rig.network().cut(way[0], way[1]);
        }
        TimeUnit.MILLISECONDS.sleep(millis);
        rig.network().heal();
    }

    private void fill(Pace pace, int node, Leader leader) throws IOException, InterruptedException {
        int millis = faultMillis();
        say(pace, Kind.DISK, "node " + node + "'s, for " + millis + " ms", leader);
        rig.disk(node).fill();
        happened(Kind.DISK);
        TimeUnit.MILLISECONDS.sleep(millis);
        rig.disk(node).free();
    }

    // ---- what came of it ---------------------------------------------------------------------------------------

    private Outcome outcome(Campaign.Load load, boolean sync, List<String> skipped, Map<Integer, Path> readers)
            throws IOException {
        Map<Integer, Account> accounts = new TreeMap<>();
        for (Map.Entry<Integer, Path> reader : readers.entrySet()) {
            String where = "node " + reader.getKey();
            Account account =
                    Account.ofNode(where, reader.getValue(), rig.clients().all());
            account.findings().forEach(finding -> find(where + ": " + finding));
            accounts.put(reader.getKey(), account);
        }
        List<Stream> streams = new ArrayList<>();
        Account first = accounts.get(1);
        accounts.forEach((node, account) -> {
            long other = account.differsFrom(first);
            if (other > 0) {
                find("nodes 1 and " + node + " differ from message " + other + " on");
            }
            streams.add(new Stream(
                    node,
                    account.messages(),
                    String.format(Locale.ROOT, "%08x", account.digest()),
                    account.rows().get(0)));
        });
        return new Outcome(ClusterRig.NODES, sync, load, incidents(), streams, skipped, findings);
    }

    private List<Incidents> incidents() throws IOException {
        long[] at = moments.stream().mapToLong(Moment::nanos).toArray();
        List<double[]> waits = new ArrayList<>();
        for (Client publisher : rig.clients().all(Role.PUBLISHER)) {
            waits.add(Silence.seconds(publisher.notebook(), at));
        }
        // Of each moment, what the publishers waited, the shortest first.
        Map<Kind, List<double[]>> waited = new EnumMap<>(Kind.class);
        for (int i = 0; i < at.length; i++) {
            int which = i;
            waited.computeIfAbsent(moments.get(i).kind, kind -> new ArrayList<>())
                    .add(waits.stream().mapToDouble(one -> one[which]).sorted().toArray());
        }
        return waited.entrySet().stream()
                .map(one -> new Incidents(
                        one.getKey(),
                        one.getValue().size(),
                        ended.getOrDefault(one.getKey(), 0),
                        Waits.of(one.getValue(), each -> each[0]),
                        Waits.of(one.getValue(), each -> each[each.length - 1])))
                .toList();
    }

    private void find(String what) {
        findings.add(what);
    }
}
