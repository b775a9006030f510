package dev.msgrelay.loadgen.kill;

import dev.msgrelay.loadgen.kill.Client.Role;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.protocol.Level;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Kills (SIGKILL) under load: who and when a seed says. The calling thread does it all. */
public final class Campaign {
    /** Of ten kills, those of the relay; the others are of its clients. */
    private static final int RELAYS_OF_TEN = 6;

    /** Of so many kills of the relay one takes a client along, one comes before it is ready again. */
    private static final int ONE_IN = 4;

    private static final int LEAST_PAUSE_MILLIS = 20;
    private static final int MOST_PAUSE_MILLIS = 300;
    private static final int MOST_START_MILLIS = 500;

    private final Rig rig;
    private final SplittableRandom random;
    private final Consumer<String> progress;
    private final Map<Client, Integer> clientKills = new HashMap<>();
    private int relayKills;

    /**
     * What goes on meanwhile.
     *
     * @param levels publishers and subscribers are there for each
     * @param publishers of each level
     * @param subscribers of each level
     * @param rate messages a second of each publisher
     */
    public record Load(List<Level> levels, int publishers, int subscribers, int rate) {
        public Load {
            levels = List.copyOf(levels);
        }
    }

    /**
     * A level in the result.
     *
     * @param relayKills those of the relay, which all levels share
     * @param publisherKills those of this level
     * @param subscriberKills those of this level
     */
    public record Line(int relayKills, int publisherKills, int subscriberKills, Account.Row account) {
        private Line and(Line other) {
            return new Line(
                    relayKills + other.relayKills,
                    publisherKills + other.publisherKills,
                    subscriberKills + other.subscriberKills,
                    account.and(other.account));
        }
    }

    /**
     * What came of it.
     *
     * @param what was done: "kills", "power cut 2"
     * @param survived the least level of which nothing may be lost
     * @param findings what is wrong; empty: nothing
     * @param skipped why it was not done; null where it was
     */
    public record Outcome(String what, Level survived, List<Line> lines, List<String> findings, String skipped) {
        public Outcome {
            lines = List.copyOf(lines);
            findings = List.copyOf(findings);
        }

        public static Outcome skipped(String what, String why) {
            return new Outcome(what, Level.STREAM, List.of(), List.of(), why);
        }

        /** The sums of some of the same levels. */
        static Outcome together(String what, List<Outcome> parts) {
            Map<Level, Line> lines = new TreeMap<>();
            List<String> findings = new ArrayList<>();
            for (Outcome part : parts) {
                part.lines.forEach(line -> lines.merge(line.account().level(), line, Line::and));
                findings.addAll(part.findings);
            }
            return new Outcome(what, parts.get(0).survived, List.copyOf(lines.values()), findings, null);
        }

        /** Of a rig in which only the relay was killed. */
        static Outcome of(String what, Level survived, int relayKills, Account account, List<String> more) {
            List<String> findings = new ArrayList<>(more);
            findings.addAll(account.findings());
            return new Outcome(
                    what,
                    survived,
                    account.rows().stream()
                            .map(row -> new Line(relayKills, 0, 0, row))
                            .toList(),
                    findings,
                    null);
        }
    }

    private Campaign(Rig rig, SplittableRandom random, Consumer<String> progress) {
        this.rig = rig;
        this.random = random;
        this.progress = progress;
    }

    /**
     * Kills so often, ends in order, and makes the account.
     *
     * @param journal a directory that is empty or not there
     * @param directory an empty one
     * @param progress takes a line for each kill
     * @throws RunException a process that was not killed has failed
     */
    public static Outcome kills(
            Load load, int kills, SplittableRandom random, Path journal, Path directory, Consumer<String> progress)
            throws IOException, RunException, InterruptedException {
        try (Rig rig = new Rig(load, journal, directory)) {
            Campaign campaign = new Campaign(rig, random, progress);
            progress.accept("a relay, " + rig.clients().all().size() + " clients");
            rig.start(List.of());
            Pace pace = new Pace("kill", kills);
            while (pace.done() < kills) {
                campaign.kill(pace);
            }
            progress.accept("the end: all that is under way is acknowledged, the relay stops");
            rig.finish();
            progress.accept("reading the journal and the notebooks");
            return campaign.outcome(rig.account(Level.WRITTEN));
        }
    }

    private void kill(Pace pace) throws IOException, RunException, InterruptedException {
        int pause = random.nextInt(LEAST_PAUSE_MILLIS, MOST_PAUSE_MILLIS);
        boolean ofRelay = random.nextInt(10) < RELAYS_OF_TEN;
        Client client =
                rig.clients().all().get(random.nextInt(rig.clients().all().size()));
        boolean both = random.nextInt(ONE_IN) == 0;
        boolean early = random.nextInt(ONE_IN) == 0;
        int start = random.nextInt(MOST_START_MILLIS);
        TimeUnit.MILLISECONDS.sleep(pause);
        rig.checkHealthy();
        String who = ofRelay ? both ? "relay and " + client.name() : "relay" : client.name();
        progress.accept(pace.next(who + " after " + pause + " ms; acknowledged: " + rig.acknowledged()));
        if (!ofRelay) {
            kill(client);
            return;
        }
        killRelay();
        if (both) {
            kill(client);
        }
        rig.startRelay(List.of());
        if (early) {
            TimeUnit.MILLISECONDS.sleep(start);
            killRelay();
            rig.startRelay(List.of());
        }
        rig.awaitRelay();
    }

    private void killRelay() throws InterruptedException {
        rig.killRelay();
        relayKills++;
    }

    private void kill(Client client) throws IOException, InterruptedException {
        rig.clients().kill(client);
        rig.clients().start(client);
        clientKills.merge(client, 1, Integer::sum);
    }

    private Outcome outcome(Account account) {
        return new Outcome(
                "kills",
                Level.WRITTEN,
                account.rows().stream()
                        .map(row -> new Line(
                                relayKills,
                                killed(Role.PUBLISHER, row.level()),
                                killed(Role.SUBSCRIBER, row.level()),
                                row))
                        .toList(),
                account.findings(),
                null);
    }

    private int killed(Role role, Level level) {
        return clientKills.entrySet().stream()
                .filter(one -> one.getKey().role() == role && one.getKey().level() == level)
                .mapToInt(Map.Entry::getValue)
                .sum();
    }

    /** Removes a directory with all that is in it. */
    public static void remove(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
