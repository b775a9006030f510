package dev.msgrelay.trials;

import dev.msgrelay.cluster.ClusterNode;
import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.loadgen.rig.Child;
import dev.msgrelay.loadgen.rig.Children;
import dev.msgrelay.loadgen.rig.RelayContestant;
import dev.msgrelay.loadgen.worker.RelayMain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A relay of a {@link Rig}: its files, its disks, and its process, which is another one after each start. Not
 * thread-safe.
 */
final class Node {
    private static final long MEGA = 1 << 20;
    private static final long MOST_KEEP_MEGABYTES = 32L << 10;
    private static final int LARGE_KEEP_MEGABYTES = 256;

    /** Of a journal's disk, beside what the journal keeps: files that are prepared, and room that is left. */
    private static final int JOURNAL_DISK_MEGABYTES = 96;

    /** The log of the process stays a file, which is said where something is wrong. */
    private static final List<String> LOGGED = List.of("sh", "-c", "exec \"$@\" 2>>\"$0\"");

    private final Site site;
    private final Path directory;
    private final Path journal;
    private final long keepMegabytes;
    // Null where it has none of its own.
    private final LoopDisk disk;
    private final List<Child> lives = new ArrayList<>();
    private final LoopDisk journalDisk;
    private Child process;

    /**
     * Makes its disks.
     *
     * @param directory an empty one
     * @param diskMegabytes of a disk for the cluster's log; 0: none
     * @param journalMegabytes of a journal on a disk of its own; 0: a relay's journal lies in the directory
     */
    Node(Site site, Path directory, int diskMegabytes, int journalMegabytes, boolean ofCluster)
            throws IOException, InterruptedException {
        this.site = site;
        this.directory = directory;
        this.disk = diskMegabytes > 0 ? new LoopDisk(directory, diskMegabytes) : null;
        if (journalMegabytes > 0) {
            this.journalDisk = new LoopDisk(
                    Files.createDirectory(directory.resolve("of-journal")), journalMegabytes + JOURNAL_DISK_MEGABYTES);
            this.journal = journalDisk.journal();
            this.keepMegabytes = journalMegabytes;
        } else {
            this.journalDisk = null;
            this.journal = ofCluster ? null : directory.resolve("journal");
            this.keepMegabytes =
                    Math.min(MOST_KEEP_MEGABYTES, Files.getFileStore(directory).getUsableSpace() / 2 / MEGA);
        }
    }

    Site site() {
        return site;
    }

    String address() {
        return site.address();
    }

    /** Null: it has no journal. */
    Path journal() {
        return journal;
    }

    LoopDisk disk() {
        return disk;
    }

    LoopDisk journalDisk() {
        return journalDisk;
    }

    Child process() {
        return process;
    }

    /** Where a cluster's log is. */
    Path clusterDirectory() {
        return disk == null ? directory : disk.at();
    }

    Path clusterFile() {
        return directory.resolve("cluster.conf");
    }

    /** What it logged, in all of its lives: the objects of its standard output that have a message, and stderr. */
    String log() throws IOException {
        Path log = directory.resolve("log");
        StringBuilder text = new StringBuilder(Files.exists(log) ? Files.readString(log) : "");
        for (Child life : lives) {
            for (String event : List.of("log", "reload", "closed", "error")) {
                for (Child.Event line : life.all(event)) {
                    text.append(line.json().path("time").asString(""))
                            .append(' ')
                            .append(line.json().path("level").asString(""))
                            .append(' ')
                            .append(line.json().path("message").asString(""))
                            .append('\n');
                }
            }
        }
        return text.toString();
    }

    /** The last lines of {@link #log}: so many, or all that there are. */
    String lastLines(int most) throws IOException {
        List<String> lines = log().lines().toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - most), lines.size()));
    }

    /**
     * Starts it, and does not wait.
     *
     * @param prefix words before the java command; usually none
     * @param more arguments of this kind of relay
     */
    void start(Children children, List<String> prefix, List<String> more) throws IOException {
        List<String> args = new ArrayList<>(List.of("--json", "--admin=none", "--insecure", "--bind=" + address()));
        args.addAll(more);
        if (journal != null) {
            args.add("--journal=" + journal);
            args.add("--journal-segment=" + (keepMegabytes > LARGE_KEEP_MEGABYTES ? "8m" : "2m"));
            args.add("--journal-keep=" + keepMegabytes + "m");
        }
        List<String> jvm = RelayContestant.javaOptions(args);
        // What the second compiler makes would come too late for a process that is killed again.
        jvm.add("-XX:TieredStopAtLevel=1");
        jvm.addAll(ClusterNode.JVM_FLAGS);
        List<String> words = new ArrayList<>(site.prefix());
        words.addAll(prefix);
        words.addAll(LOGGED);
        words.add(directory.resolve("log").toString());
        process = children.start(
                new Site(site.name(), words, address()),
                site.name(),
                new Site.JavaProgram(Site.JavaProgram.withNativeAccess(jvm), RelayMain.class.getName(), args));
        lives.add(process);
    }

    /** Its disks answer again. */
    void thaw() throws IOException {
        if (disk != null) {
            disk.thawIfFrozen();
        }
        if (journalDisk != null) {
            journalDisk.thawIfFrozen();
        }
    }

    /** Unmounts its disks; its process has ended. */
    void close() throws IOException {
        if (disk != null) {
            disk.close();
        }
        if (journalDisk != null) {
            journalDisk.close();
        }
    }
}
