package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.experiment.Interrupts;
import dev.msgrelay.loadgen.kill.Campaign;
import dev.msgrelay.loadgen.kill.Campaign.Load;
import dev.msgrelay.loadgen.kill.Campaign.Outcome;
import dev.msgrelay.loadgen.kill.ClusterCampaign;
import dev.msgrelay.loadgen.kill.ClusterCampaign.Kind;
import dev.msgrelay.loadgen.kill.DiskFault;
import dev.msgrelay.loadgen.kill.FullDisk;
import dev.msgrelay.loadgen.kill.PowerCut;
import dev.msgrelay.loadgen.report.KillReport;
import dev.msgrelay.loadgen.report.ProgressLine;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.protocol.Level;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code loadgen kill}: kills relay, publishers and subscribers under load, and accounts for every acknowledged message. */
@Command(
        name = "kill",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Kills a relay with a journal, or nodes of a cluster, under load, and accounts for every acknowledged message.",
            "Kills (SIGKILL) relay, publishers and subscribers at random times and starts them again, then reads the"
                    + " journal's files, and what each client had been told.",
            "Exits 1 when a message is missing that was acknowledged at a level which survives what was done, came twice,"
                    + " out of order or with other bytes, or when a client was not told. Levels below are the"
                    + " control: what they lose shows that a loss is seen.",
            "With --cluster: three nodes on this machine, publishers with acknowledgements and subscribers at each of them."
                    + " Then each acknowledged message has to be at every node, once, and the order the same."
        })
final class KillCommand extends Told {
    private static final int MOST = 100_000;
    private static final int RATE = 2_000;
    private static final int CLUSTER_RATE = 500;

    @Option(names = "--kills", paramLabel = "N", description = "How often (${DEFAULT-VALUE}): about one a second.")
    private int kills = 20;

    @Option(
            names = "--level",
            paramLabel = "LEVEL",
            split = ",",
            description =
                    "Of publishers and subscribers: stream, written, forced; some of them with commas. Default: all three;"
                            + " a cluster acknowledges what is committed, and has none of them.")
    private List<Level> levels;

    @Option(
            names = "--power-cuts",
            paramLabel = "N",
            description =
                    "After that, cut the power so often (${DEFAULT-VALUE}): a journal on a file system in a file, which is"
                            + " copied as the relay is killed, and the next one goes on with the copy. Needs root and loop"
                            + " devices, and is skipped without.")
    private int powerCuts;

    @Option(
            names = "--faults",
            description =
                    "And have the disk fail, be full and be slow, by strace; then fill a real one while publishers"
                            + " publish. Skipped where there is no strace, or no loop device.")
    private boolean faults;

    @Option(
            names = "--cluster",
            description = "Of a cluster of three nodes instead; --publishers and --subscribers are of each node.")
    private boolean cluster;

    @Option(
            names = "--incidents",
            paramLabel = "WHAT",
            split = ",",
            description =
                    "What goes wrong in a cluster, --kills times in all: ${COMPLETION-CANDIDATES}; some of them with commas."
                            + " Links are cut in network namespaces, disks are loop devices; what cannot be had here is"
                            + " skipped. Default: all of them.")
    private Set<Kind> incidents;

    @Option(
            names = "--sync",
            paramLabel = "N",
            description = "Of the cluster: 1, what is acknowledged is on the disks of a majority. Default: 0.")
    private Integer sync;

    @Option(
            names = "--journal",
            paramLabel = "DIR",
            description =
                    "Where the journal of the kills is kept: an empty directory, which stays. Default: a temporary one,"
                            + " which stays only where something is wrong.")
    private Path journal;

    @Option(names = "--publishers", paramLabel = "N", description = "Of each level (${DEFAULT-VALUE}).")
    private int publishers = 1;

    @Option(
            names = "--subscribers",
            paramLabel = "N",
            description =
                    "Of each level (${DEFAULT-VALUE}): at stream they get messages at once, at the others durable ones only.")
    private int subscribers = 1;

    @Option(
            names = "--rate",
            paramLabel = "R",
            description = "Messages a second of each publisher. Default: 2000, of a cluster 500.")
    private Integer rate;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Of who is killed, and when. Default: a new one each time, which is told.")
    private Long seed;

    @Option(names = "--json", description = "Print the result as JSON instead of text.")
    private boolean json;

    @Override
    public Integer call() throws IOException, RunException, InterruptedException {
        within("--kills", kills, 0, MOST);
        within("--power-cuts", powerCuts, 0, MOST);
        within("--publishers", publishers, 1, 100);
        within("--subscribers", subscribers, 0, 100);
        int each = rate == null ? cluster ? CLUSTER_RATE : RATE : rate;
        within("--rate", each, 1, 1_000_000);
        refuse(journal != null && !isFree(journal), "--journal " + journal + " is not an empty directory");
        refuse(cluster && levels != null, "--level does not go with --cluster: it acknowledges what is committed");
        refuse(cluster && journal != null, "--journal does not go with --cluster: its nodes have logs of their own");
        refuse(cluster && powerCuts > 0, "--power-cuts does not go with --cluster");
        refuse(cluster && faults, "--faults does not go with --cluster: give --incidents disk");
        refuse(!cluster && incidents != null, "--incidents needs --cluster");
        refuse(!cluster && sync != null, "--sync needs --cluster");
        refuse(
                !cluster && kills == 0 && powerCuts == 0 && !faults,
                "--kills 0 does nothing: give --power-cuts or --faults");
        within("--sync", sync == null ? 0 : sync, 0, 1);
        List<Level> all = cluster ? List.of(Level.STREAM) : levels == null ? List.of(Level.values()) : levels;
        Load load = new Load(all.stream().distinct().sorted().toList(), publishers, subscribers, each);
        long used = seed == null ? ThreadLocalRandom.current().nextLong(1L << 32) : seed;
        Path directory = Files.createTempDirectory("loadgen-kill");
        ProgressLine progress = ProgressLine.onStderr(err());
        boolean keep = true;
        try (Interrupts interrupts = Interrupts.watch()) {
            progress.step("seed " + used);
            keep = !interrupts.orInterrupted(() ->
                    cluster ? ofACluster(load, used, directory, progress) : ofARelay(load, used, directory, progress));
            return keep ? 1 : 0;
        } catch (InterruptedException e) {
            keep = false;
            throw e;
        } finally {
            progress.end();
            if (keep && !isFree(directory)) {
                err().println("what is left of it: " + directory + ", seed " + used);
                err().flush();
            } else {
                Campaign.remove(directory);
            }
        }
    }

    /** Answers whether everything is as it ought to be. */
    private boolean ofACluster(Load load, long used, Path directory, ProgressLine progress)
            throws IOException, RunException, InterruptedException {
        Set<Kind> wanted = incidents == null ? EnumSet.allOf(Kind.class) : incidents;
        ClusterCampaign.Outcome outcome = ClusterCampaign.run(
                load, sync != null && sync == 1, kills, wanted, new SplittableRandom(used), directory, progress::step);
        progress.end();
        print(json ? KillReport.json(used, outcome) + "\n" : KillReport.text(used, outcome));
        return outcome.passed();
    }

    /** Answers whether everything is as it ought to be. */
    private boolean ofARelay(Load load, long used, Path directory, ProgressLine progress)
            throws IOException, RunException, InterruptedException {
        List<Outcome> outcomes = outcomes(load, used, directory, progress);
        progress.end();
        print(json ? KillReport.json(used, outcomes) + "\n" : KillReport.text(used, outcomes));
        return KillReport.passed(outcomes);
    }

    private static boolean isFree(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return true;
        }
        if (!Files.isDirectory(directory)) {
            return false;
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.findAny().isEmpty();
        }
    }

    private List<Outcome> outcomes(Load load, long used, Path directory, ProgressLine progress)
            throws IOException, RunException, InterruptedException {
        SplittableRandom random = new SplittableRandom(used);
        List<Outcome> outcomes = new ArrayList<>();
        if (kills > 0) {
            Path kept = journal == null ? directory.resolve("journal") : journal;
            outcomes.add(Campaign.kills(load, kills, random.split(), kept, directory, progress::step));
        }
        if (powerCuts > 0) {
            outcomes.add(tried(
                    "power cuts",
                    PowerCut.obstacle(),
                    directory.resolve("power-cuts"),
                    place -> PowerCut.run(load, powerCuts, random.split(), place, progress::step)));
        }
        if (!faults) {
            return outcomes;
        }
        String noFaults = DiskFault.obstacle();
        if (noFaults != null) {
            outcomes.add(Outcome.skipped("faults", noFaults));
        }
        for (DiskFault fault : noFaults == null ? DiskFault.values() : new DiskFault[0]) {
            progress.step("fault: " + fault.text());
            Path place = directory.resolve("fault-" + fault.name().toLowerCase(Locale.ROOT));
            outcomes.add(tried(fault.text(), null, place, at -> fault.run(load, at)));
        }
        boolean needless = load.levels().equals(List.of(Level.STREAM));
        String noDisk = needless ? "--level stream needs no disk" : FullDisk.obstacle();
        outcomes.add(tried("a full disk", noDisk, directory.resolve("full-disk"), place -> {
            progress.step("a full disk, and publishers that wait");
            return FullDisk.run(load, place);
        }));
        return outcomes;
    }

    private interface Trial {
        Outcome in(Path place) throws IOException, RunException, InterruptedException;
    }

    /**
     * What came of it in a directory of its own, which is a quarter of a gigabyte, and kept only where it shows something.
     *
     * @param obstacle why it is skipped; null where it is not
     */
    private static Outcome tried(String what, String obstacle, Path place, Trial trial)
            throws IOException, RunException, InterruptedException {
        if (obstacle != null) {
            return Outcome.skipped(what, obstacle);
        }
        Outcome outcome = trial.in(Files.createDirectory(place));
        if (outcome.findings().isEmpty()) {
            Campaign.remove(place);
        }
        return outcome;
    }
}
