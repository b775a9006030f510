package dev.msgrelay.loadgen.kill;

import dev.msgrelay.loadgen.kill.Campaign.Outcome;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.protocol.Level;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A disk that is really full: somebody else fills it under load. Publishers then wait, and go on when there is room again;
 * nothing that was acknowledged is missing, and nothing is acknowledged meanwhile that needs the disk.
 */
public final class FullDisk {
    private static final String WHAT = "a full disk";
    private static final long BEFORE_MILLIS = 1_000;
    private static final long LOOK_MILLIS = 20;

    /** So long without an acknowledgement is a stop. */
    private static final long STOPPED_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long FULL_MILLIS = 2_000;
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(40);

    private FullDisk() {}

    /** Why it cannot be done here; null where it can. */
    public static String obstacle() throws InterruptedException {
        return LoopDisk.obstacle(WHAT);
    }

    /**
     * Has it happen.
     *
     * @param load with a level that needs a journal
     * @param directory an empty one, which is left without anything mounted
     */
    public static Outcome run(Campaign.Load load, Path directory)
            throws IOException, RunException, InterruptedException {
        List<String> findings = new ArrayList<>();
        try (LoopDisk disk = new LoopDisk(directory, LoopDisk.USUAL_MEGABYTES);
                Rig rig = new Rig(load, disk.journal(), directory)) {
            rig.start(List.of());
            TimeUnit.MILLISECONDS.sleep(BEFORE_MILLIS);
            disk.fill();
            if (!awaitStop(rig)) {
                findings.add("on a full disk acknowledgements went on for "
                        + TimeUnit.NANOSECONDS.toSeconds(LIMIT_NANOS) + " s");
            }
            long stopped = rig.durablyAcknowledged();
            TimeUnit.MILLISECONDS.sleep(FULL_MILLIS);
            rig.checkHealthy();
            long more = rig.durablyAcknowledged() - stopped;
            if (more > 0) {
                findings.add(more + " messages were acknowledged while the disk was full and publishers waited");
            }
            disk.free();
            if (!awaitMore(rig, stopped)) {
                findings.add("nothing was acknowledged within " + TimeUnit.NANOSECONDS.toSeconds(LIMIT_NANOS)
                        + " s after the disk had room again");
            }
            rig.finish();
            String what = WHAT + " for " + FULL_MILLIS / 1_000 + " s";
            return Outcome.of(what, Level.WRITTEN, 0, rig.account(Level.WRITTEN), findings);
        }
    }

    private static boolean awaitStop(Rig rig) throws RunException, InterruptedException {
        long begun = System.nanoTime();
        long since = begun;
        long last = -1;
        while (System.nanoTime() - since < STOPPED_NANOS) {
            if (System.nanoTime() - begun > LIMIT_NANOS) {
                return false;
            }
            rig.checkHealthy();
            long now = rig.durablyAcknowledged();
            if (now != last) {
                last = now;
                since = System.nanoTime();
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
        return true;
    }

    private static boolean awaitMore(Rig rig, long than) throws RunException, InterruptedException {
        long begun = System.nanoTime();
        while (rig.durablyAcknowledged() <= than) {
            if (System.nanoTime() - begun > LIMIT_NANOS) {
                return false;
            }
            rig.checkHealthy();
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
        return true;
    }
}
