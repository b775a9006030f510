package dev.msgrelay.loadgen.kill;

import dev.msgrelay.loadgen.kill.Campaign.Outcome;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.protocol.Level;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The end of a machine, without one: the journal lies on an ext4 file system in a file. The relay is killed, and the file is
 * copied at once: what the relay has not forced, and the kernel has not written by itself, is not in the copy. The next relay
 * goes on from the copy, with the same clients. After some cuts the account is made, and a new disk begins.
 */
public final class PowerCut {
    /** So that the journal holds all that was published since the disk was new. */
    private static final int CUTS_OF_A_DISK = 25;

    private static final int LEAST_MILLIS = 50;
    private static final int MOST_MILLIS = 500;

    private PowerCut() {}

    /** Why it cannot be done here; null where it can. */
    public static String obstacle() throws InterruptedException {
        return LoopDisk.obstacle("a power cut");
    }

    /**
     * So many cuts.
     *
     * @param directory an empty one, which is left without anything mounted; with what is left where something is wrong
     * @param progress takes a line for each cut
     */
    public static Outcome run(
            Campaign.Load load, int cuts, SplittableRandom random, Path directory, Consumer<String> progress)
            throws IOException, RunException, InterruptedException {
        List<Outcome> disks = new ArrayList<>();
        Pace pace = new Pace("power cut", cuts);
        while (pace.done() < cuts) {
            Path place = Files.createDirectory(directory.resolve("disk-" + disks.size()));
            Outcome outcome =
                    ofADisk(load, Math.min(CUTS_OF_A_DISK, cuts - pace.done()), random, place, pace, progress);
            disks.add(outcome);
            if (outcome.findings().isEmpty()) {
                // A quarter of a gigabyte each.
                Campaign.remove(place);
            }
        }
        return Outcome.together("power cuts", disks);
    }

    private static Outcome ofADisk(
            Campaign.Load load, int cuts, SplittableRandom random, Path directory, Pace pace, Consumer<String> progress)
            throws IOException, RunException, InterruptedException {
        try (LoopDisk disk = new LoopDisk(directory, LoopDisk.USUAL_MEGABYTES);
                Rig rig = new Rig(load, disk.journal(), directory)) {
            rig.start(List.of());
            for (int i = 0; i < cuts; i++) {
                int pause = random.nextInt(LEAST_MILLIS, MOST_MILLIS);
                TimeUnit.MILLISECONDS.sleep(pause);
                rig.checkHealthy();
                progress.accept(pace.next("after " + pause + " ms; acknowledged: " + rig.acknowledged()));
                rig.killRelay();
                disk.cutPower();
                rig.startRelay(List.of());
                rig.awaitRelay();
            }
            rig.finish();
            return Outcome.of("power cuts", Level.FORCED, cuts, rig.account(Level.FORCED), List.of());
        }
    }
}
