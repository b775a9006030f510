package dev.msgrelay.trials;

import dev.msgrelay.cluster.Leader;
import dev.msgrelay.loadgen.rig.RunException;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.trials.Client.Role;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A relay or a cluster under load, and what goes wrong with processes and machines: one incident after the other. What
 * and when a seed says. The calling thread does it all.
 */
final class Campaign {
    /** Of so many relays that are killed one is killed again before it is ready. */
    private static final int ONE_IN = 4;

    private static final int LEAST_BEFORE_MILLIS = 20;
    private static final int MOST_BEFORE_MILLIS = 300;
    private static final int MOST_START_MILLIS = 1_500;

    /** Longer than a leader may be silent, and than an election takes. */
    private static final int LEAST_FAULT_MILLIS = 3_000;

    private static final int MOST_FAULT_MILLIS = 6_000;

    /** Longer than a node bears that its journal gets nothing to its disk. */
    private static final int LEAST_LONG_MILLIS = 18_000;

    private static final int MOST_LONG_MILLIS = 24_000;

    private static final int LEAST_HANG_MILLIS = 2_000;
    private static final int MOST_HANG_MILLIS = 30_000;

    /**
     * So long may nobody be acknowledged while one disk of three hangs: a node's patience, and what an election takes.
     */
    private static final double MOST_HANG_SILENCE_SECONDS = 20;

    /** So long without an acknowledgement is a stop, and not a machine that is busy. */
    private static final long STOPPED_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long FULL_MILLIS = 2_000;
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** What a message of a campaign is in memory and on a disk at most, on average. */
    private static final long MESSAGE_BYTES = 300;

    private static final long LONGEST_INCIDENT_SECONDS = 30;
    private static final long MEGA = 1 << 20;
    private static final long LEAST_LOG_MEGABYTES = 64;
    private static final long MOST_LOG_MEGABYTES = 1_024;

    /** Of an archive that still records: it wants this much to be free. */
    private static final long DISK_BESIDE_MEGABYTES = 384;

    private final Rig rig;
    private final boolean cluster;
    private final List<Incident> incidents;
    private final int times;
    private final SplittableRandom random;
    private final Consumer<String> progress;
    private final List<Moment> moments = new ArrayList<>();
    private final List<String> findings = new ArrayList<>();
    private final Map<Incident, Integer> ended = new EnumMap<>(Incident.class);
    private int done;

    /** From then on it is so. */
    private record Moment(Incident incident, long nanos) {}

    private Campaign(
            Rig rig,
            boolean cluster,
            List<Incident> incidents,
            int times,
            SplittableRandom random,
            Consumer<String> progress) {
        this.rig = rig;
        this.cluster = cluster;
        this.incidents = incidents;
        this.times = times;
        this.random = random;
        this.progress = progress;
    }

    /**
     * Has so many incidents of a relay, ends in order, and makes the account.
     *
     * @param survived the least level that survives these incidents
     * @throws RunException a client has failed, or the relay did not come back
     */
    static Report ofARelay(
            Load load,
            List<Incident> incidents,
            Level survived,
            int times,
            SplittableRandom random,
            Path directory,
            Consumer<String> progress)
            throws IOException, RunException, InterruptedException {
        int journal = incidents.stream().anyMatch(Incident::needsJournalDisk) ? logMegabytes(load, times) : 0;
        Rig.Options options = new Rig.Options(1, false, 0, 0, journal);
        try (NodeNetwork network = NodeNetwork.onLoopback(1);
                Rig rig = new Rig(load, options, network, directory)) {
            return new Campaign(rig, false, incidents, times, random, progress).run(survived);
        }
    }

    /** The same of a cluster, where nothing of any level may be lost. */
    static Report ofACluster(
            Load load,
            List<Incident> incidents,
            boolean sync,
            int times,
            SplittableRandom random,
            Path directory,
            Consumer<String> progress)
            throws IOException, RunException, InterruptedException {
        int log = logMegabytes(load, times);
        Rig.Options options = new Rig.Options(
                Rig.CLUSTER,
                sync,
                log,
                incidents.stream().anyMatch(Incident::needsDisk) ? (int) (log + DISK_BESIDE_MEGABYTES) : 0,
                incidents.stream().anyMatch(Incident::needsJournalDisk) ? log : 0);
        try (NodeNetwork network = incidents.contains(Incident.LINK)
                        ? NodeNetwork.inNamespaces(Rig.CLUSTER)
                        : NodeNetwork.onLoopback(Rig.CLUSTER);
                Rig rig = new Rig(load, options, network, directory)) {
            return new Campaign(rig, true, incidents, times, random, progress).run(Level.STREAM);
        }
    }

    /** All that is published stays in it; a power of two. */
    private static int logMegabytes(Load load, int times) {
        long each = (long) load.rate()
                * load.publishers()
                * Rig.CLUSTER
                * load.levels().size();
        long stream = times * LONGEST_INCIDENT_SECONDS * each * MESSAGE_BYTES / MEGA;
        return (int) Long.highestOneBit(Math.max(LEAST_LOG_MEGABYTES, Math.min(2 * stream, MOST_LOG_MEGABYTES)));
    }

    private Report run(Level survived) throws IOException, RunException, InterruptedException {
        rig.start(List.of());
        rig.awaitAcknowledged(0);
        while (done < times) {
            next();
        }
        progress.accept("the end: all that is under way is acknowledged, then the accounts are made");
        List<Account> accounts = rig.finish(survived);
        checkHangs();
        for (Account account : accounts.subList(1, accounts.size())) {
            long other = account.differsFrom(accounts.get(0));
            if (other > 0) {
                findings.add("two nodes have different messages from " + other + " on");
            }
        }
        return new Report(survived, accounts, silences(), findings);
    }

    // ---- what goes wrong ---------------------------------------------------------------------------------------

    private void next() throws IOException, RunException, InterruptedException {
        Incident incident = incidents.get(random.nextInt(incidents.size()));
        TimeUnit.MILLISECONDS.sleep(random.nextInt(LEAST_BEFORE_MILLIS, MOST_BEFORE_MILLIS));
        Leader leader = cluster ? rig.leaderBehind(-1) : null;
        int any = random.nextInt(1, (cluster ? Rig.CLUSTER : 1) + 1);
        switch (incident) {
            case RELAY -> kill(incident, 1, null);
            case BOTH -> {
                killClient(incident);
                kill(incident, 1, null);
            }
            case CLIENT -> killClient(incident);
            case POWER -> cutPower();
            case FULL -> fillJournal();
            case LEADER -> kill(incident, leader.node(), leader);
            case FOLLOWER -> kill(incident, follower(leader), leader);
            case PAUSE -> pause(any, leader);
            case LINK -> cut(any, leader);
            case DISK -> fill(any, leader);
            case HANG -> hang(any, leader);
            case JOURNAL, FREEZE ->
                holdJournal(incident, random.nextBoolean() ? leader.node() : follower(leader), leader);
        }
        rig.awaitReady();
        if (cluster) {
            rig.awaitAcknowledged(0);
        }
        List<String> ends = rig.endedByThemselves();
        ended.merge(incident, ends.size(), Integer::sum);
        ends.forEach(end -> progress.accept("  " + end));
        if (!incident.mayEnd()) {
            ends.forEach(end -> findings.add(incident.text() + ", and " + end));
        }
    }

    private int follower(Leader leader) {
        return (leader.node() + random.nextInt(Rig.CLUSTER - 1)) % Rig.CLUSTER + 1;
    }

    /** Says that it begins. */
    private void say(Incident incident, String text, Leader leader) {
        progress.accept("incident " + ++done + "/" + times + ": " + incident + ": " + text
                + (leader == null ? "" : "; node " + leader.node() + " leads"));
        happened(incident);
    }

    private void happened(Incident incident) {
        moments.add(new Moment(incident, System.nanoTime()));
    }

    /** The relay, or a node; of a cluster another one leads before it comes back. */
    private void kill(Incident incident, int node, Leader leader)
            throws IOException, RunException, InterruptedException {
        boolean early = random.nextInt(ONE_IN) == 0;
        int downMillis = random.nextInt(MOST_START_MILLIS);
        int againMillis = random.nextInt(MOST_START_MILLIS);
        if (incident != Incident.BOTH) {
            say(incident, "kill -9 of node " + node, leader);
        }
        rig.kill(node);
        if (incident == Incident.LEADER) {
            rig.leaderBehind(leader.term());
        }
        if (cluster) {
            rig.awaitAcknowledged(0);
            TimeUnit.MILLISECONDS.sleep(downMillis);
        }
        rig.start(node);
        if (early) {
            TimeUnit.MILLISECONDS.sleep(againMillis);
            rig.kill(node);
            rig.start(node);
        }
    }

    private void killClient(Incident incident) throws IOException, InterruptedException {
        List<Client> all = rig.clients().all();
        Client client = all.get(random.nextInt(all.size()));
        say(incident, "kill -9 of " + client.name(), null);
        rig.clients().kill(client);
        rig.clients().start(client);
    }

    private void cutPower() throws IOException, InterruptedException {
        say(Incident.POWER, "kill -9, and what was not forced is gone", null);
        rig.kill(1);
        rig.node(1).journalDisk().cutPower();
        rig.start(1);
    }

    /** Publishers then wait, and go on when there is room; nothing is acknowledged meanwhile that needs the disk. */
    private void fillJournal() throws IOException, RunException, InterruptedException {
        say(Incident.FULL, "until publishers wait, and some seconds more", null);
        LoopDisk disk = rig.node(1).journalDisk();
        disk.fill();
        long[] last = {-1, System.nanoTime()};
        boolean stopped = rig.holdsWithin(LIMIT_NANOS, () -> {
            long now = durablyAcknowledged();
            if (now != last[0]) {
                last[0] = now;
                last[1] = System.nanoTime();
            }
            return System.nanoTime() - last[1] > STOPPED_NANOS;
        });
        if (!stopped) {
            findings.add("on a full disk acknowledgements went on for " + TimeUnit.NANOSECONDS.toSeconds(LIMIT_NANOS)
                    + " s");
        }
        long before = durablyAcknowledged();
        TimeUnit.MILLISECONDS.sleep(FULL_MILLIS);
        long more = durablyAcknowledged() - before;
        if (more > 0) {
            findings.add(more + " messages were acknowledged while the disk was full and publishers waited");
        }
        disk.free();
        if (!rig.holdsWithin(LIMIT_NANOS, () -> durablyAcknowledged() > before)) {
            findings.add("nothing was acknowledged within " + TimeUnit.NANOSECONDS.toSeconds(LIMIT_NANOS)
                    + " s after the disk had room again");
        }
    }

    /** Of all levels that need the journal. */
    private long durablyAcknowledged() {
        return rig.clients().acknowledged(Level.WRITTEN) + rig.clients().acknowledged(Level.FORCED);
    }

    private int faultMillis() {
        return random.nextInt(LEAST_FAULT_MILLIS, MOST_FAULT_MILLIS);
    }

    private void pause(int node, Leader leader) throws IOException, InterruptedException {
        int millis = faultMillis();
        say(Incident.PAUSE, "node " + node + " for " + millis + " ms", leader);
        rig.signal("STOP", node);
        TimeUnit.MILLISECONDS.sleep(millis);
        rig.signal("CONT", node);
    }

    /** Between two nodes, one way or both, or all of one node's. */
    private void cut(int node, Leader leader) throws IOException, InterruptedException {
        int millis = faultMillis();
        int other = (node + random.nextInt(Rig.CLUSTER - 1)) % Rig.CLUSTER + 1;
        int how = random.nextInt(3);
        List<int[]> ways = new ArrayList<>();
        for (int peer = 1; peer <= Rig.CLUSTER; peer++) {
            if (peer == other || how == 2 && peer != node) {
                ways.add(new int[] {node, peer});
                if (how > 0) {
                    ways.add(new int[] {peer, node});
                }
            }
        }
        String text = ways.stream().map(way -> way[0] + "->" + way[1]).collect(Collectors.joining(", "));
        say(Incident.LINK, text + " for " + millis + " ms", leader);
        for (int[] way : ways) {
            rig.network().cut(way[0], way[1]);
        }
        TimeUnit.MILLISECONDS.sleep(millis);
        rig.network().heal();
    }

    private void fill(int node, Leader leader) throws IOException, InterruptedException {
        int millis = faultMillis();
        say(Incident.DISK, "node " + node + "'s, for " + millis + " ms", leader);
        rig.node(node).disk().fill();
        TimeUnit.MILLISECONDS.sleep(millis);
        rig.node(node).disk().free();
    }

    /** The others go on once the node has left, or once its disk answers; then it comes back. */
    private void hang(int node, Leader leader) throws IOException, RunException, InterruptedException {
        int millis = random.nextInt(LEAST_HANG_MILLIS, MOST_HANG_MILLIS);
        say(Incident.HANG, "node " + node + "'s, for " + millis + " ms", leader);
        LoopDisk disk = rig.node(node).disk();
        disk.freeze();
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } finally {
            disk.thaw();
        }
        rig.awaitMembers();
    }

    /** The others go on while it lasts, also where it is the leader's; where it lasts for long, the node ends. */
    private void holdJournal(Incident incident, int node, Leader leader)
            throws IOException, RunException, InterruptedException {
        int millis = random.nextInt(ONE_IN) == 0 ? random.nextInt(LEAST_LONG_MILLIS, MOST_LONG_MILLIS) : faultMillis();
        say(incident, "of the journal of node " + node + ", for " + millis + " ms", leader);
        LoopDisk disk = rig.node(node).journalDisk();
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        if (incident == Incident.FREEZE) {
            disk.freeze();
        } else {
            disk.fill();
        }
        try {
            do {
                TimeUnit.SECONDS.sleep(1);
                rig.awaitAcknowledged(node);
            } while (System.nanoTime() - end < 0);
        } finally {
            if (incident == Incident.FREEZE) {
                disk.thaw();
            } else {
                disk.free();
            }
        }
    }

    // ---- what came of it ---------------------------------------------------------------------------------------

    /** While a disk hangs, acknowledgements may pause, to all publishers, and not for long. */
    private void checkHangs() throws IOException {
        if (moments.stream().noneMatch(moment -> moment.incident == Incident.HANG)) {
            return;
        }
        double longest = Silence.longest(
                rig.clients().all(Role.PUBLISHER).stream().map(Client::notebook).toList(), moments.get(0).nanos);
        progress.accept(String.format(Locale.ROOT, "nobody was acknowledged for %.2f s at worst", longest));
        if (longest > MOST_HANG_SILENCE_SECONDS) {
            findings.add(Incident.HANG.text() + ", and nobody was acknowledged for " + Math.round(longest) + " s");
        }
    }

    /**
     * For how long nothing was acknowledged, to the publisher that waited longest: a line for each kind of incident.
     */
    private List<String> silences() throws IOException {
        long[] at = moments.stream().mapToLong(Moment::nanos).toArray();
        double[] longest = new double[at.length];
        for (Client publisher : rig.clients().all(Role.PUBLISHER)) {
            double[] waited = Silence.seconds(publisher.notebook(), at);
            for (int i = 0; i < at.length; i++) {
                longest[i] = Math.max(longest[i], waited[i]);
            }
        }
        Map<Incident, List<Double>> byKind = new EnumMap<>(Incident.class);
        for (int i = 0; i < at.length; i++) {
            byKind.computeIfAbsent(moments.get(i).incident, kind -> new ArrayList<>())
                    .add(longest[i]);
        }
        List<String> lines = new ArrayList<>();
        byKind.forEach((kind, seconds) -> {
            Collections.sort(seconds);
            lines.add(String.format(
                    Locale.ROOT,
                    "%s: %d times, %d nodes ended; nothing acknowledged for %.2f s (median), %.2f s (worst)",
                    kind.text(),
                    seconds.size(),
                    ended.getOrDefault(kind, 0),
                    seconds.get(seconds.size() / 2),
                    seconds.get(seconds.size() - 1)));
        });
        return lines;
    }
}
