package dev.msgrelay.trials;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.rig.RunException;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.testing.ThisMachine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The campaigns. System properties:
 *
 * <pre>
 *  trials.seed         what happens, and when; another one each time, which is printed
 *  trials.kills        of a relay and its clients: 10
 *  trials.power        power cuts: 2
 *  trials.incidents    of a cluster: 4
 *  trials.what         which of them, with commas: client, leader, follower, pause, link, disk, journal, freeze, hang
 *  trials.sync         1: what the cluster acknowledges is on the disks of a majority
 *  trials.publishers   of each level, or of each node: 1
 *  trials.subscribers  likewise: 1
 *  trials.rate         messages a second of each publisher: 2000, in a cluster 500
 * </pre>
 *
 * What cannot be done here, for want of root, of loop devices or of a tool, is skipped with a word.
 */
@Tag("thorough")
@Timeout(value = 2, unit = TimeUnit.HOURS)
class TrialsTest {
    private static final long SEED =
            ThisMachine.setting("trials.seed", ThreadLocalRandom.current().nextLong(1L << 32));

    // What it holds shows what was wrong.
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    private interface Trial {
        Report run(SplittableRandom random) throws IOException, RunException, InterruptedException;
    }

    @Test
    void whatWasWrittenSurvivesKills() throws Exception {
        int kills = (int) ThisMachine.setting("trials.kills", 10);
        run(
                "kills",
                random -> Campaign.ofARelay(
                        load(Level.values()),
                        List.copyOf(Incident.KILLS),
                        Level.WRITTEN,
                        kills,
                        random,
                        directory,
                        this::say));
    }

    @Test
    void whatWasForcedSurvivesPowerCuts() throws Exception {
        assumePossible(Incident.POWER.obstacle());
        int cuts = (int) ThisMachine.setting("trials.power", 2);
        run(
                "power cuts",
                random -> Campaign.ofARelay(
                        load(Level.values()),
                        List.of(Incident.POWER),
                        Level.FORCED,
                        cuts,
                        random,
                        directory,
                        this::say));
    }

    @Test
    void publishersWaitForAFullDisk() throws Exception {
        assumePossible(Incident.FULL.obstacle());
        run(
                "a full disk",
                random -> Campaign.ofARelay(
                        load(Level.values()), List.of(Incident.FULL), Level.WRITTEN, 1, random, directory, this::say));
    }

    @ParameterizedTest
    @EnumSource
    void aDiskThatFailsLosesNothing(DiskFault fault) throws Exception {
        assumePossible(DiskFault.obstacle());
        run("a disk that fails: " + fault, random -> fault.run(load(Level.values()), directory));
    }

    @Test
    void aClusterLosesNothing() throws Exception {
        assumePossible(Rig.clusterObstacle());
        Set<Incident> wanted = Incident.OF_A_CLUSTER;
        String what = ThisMachine.setting("trials.what");
        List<Incident> incidents = new ArrayList<>();
        for (Incident incident : wanted) {
            if (what == null || Arrays.asList(what.split(",")).contains(incident.toString())) {
                String obstacle = incident.obstacle();
                if (obstacle == null) {
                    incidents.add(incident);
                } else {
                    System.out.println("skipped: " + obstacle);
                }
            }
        }
        assumePossible(incidents.isEmpty() ? "no incident is left: trials.what=" + what : null);
        int times = (int) ThisMachine.setting("trials.incidents", 4);
        run(
                "a cluster",
                random -> Campaign.ofACluster(
                        load(Level.STREAM),
                        incidents,
                        (int) ThisMachine.setting("trials.sync", 0) == 1,
                        times,
                        random,
                        directory,
                        this::say));
    }

    private static Load load(Level... levels) {
        return new Load(
                Stream.of(levels).sorted().toList(),
                (int) ThisMachine.setting("trials.publishers", 1),
                (int) ThisMachine.setting("trials.subscribers", 1),
                (int) ThisMachine.setting("trials.rate", levels.length == 1 ? 500 : 2_000));
    }

    private static void assumePossible(String obstacle) {
        ThisMachine.need(obstacle == null, obstacle);
    }

    private void say(String line) {
        System.out.println("  " + line);
    }

    private void run(String what, Trial trial) throws IOException, RunException, InterruptedException {
        System.out.println(what + ": seed " + SEED + ", files in " + directory);
        Report report = trial.run(new SplittableRandom(SEED));
        System.out.println(report.text());
        assertThat(report.findings()).as("%s, seed %d", what, SEED).isEmpty();
        assertThat(report.acknowledged()).isPositive();
    }
}
