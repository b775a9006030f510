package dev.msgrelay.loadgen.kill;

import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.host.Tool;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.protocol.Level;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * The end of a machine, without one: the journal lies on an ext4 file system in a file. The relay is killed, and the file is
 * copied at once: what the relay has not forced, and the kernel has not written by itself, is not in the copy. The copy is
 * mounted, and the account made of the journal in it.
 */
public final class PowerCut {
    private static final String IMAGE_SIZE = "256M";
    private static final long TOOL_MILLIS = 30_000;
    private static final int LEAST_MILLIS = 300;
    private static final int MOST_MILLIS = 2_000;

    private PowerCut() {}

    /** Why it cannot be done here; null where it can. */
    public static String obstacle() throws InterruptedException {
        Subprocess tools = new Subprocess();
        try {
            if (!tools.run(List.of("id", "-u")).output().equals("0")) {
                return "a power cut needs root, to mount a file system";
            }
            for (String tool : List.of("mkfs.ext4", "mount", "umount", "losetup")) {
                if (!tools.run(List.of("sh", "-c", "command -v " + tool)).succeeded()) {
                    return "a power cut needs " + tool;
                }
            }
            Tool.Outcome loop = tools.run(List.of("losetup", "-f"));
            return loop.succeeded() ? null : "a power cut needs a loop device: " + loop.firstLine();
        } catch (IOException e) {
            return "a power cut needs loop devices: " + e.getMessage();
        }
    }

    /**
     * One cut.
     *
     * @param directory an empty one, which is left without anything mounted
     */
    public static Campaign.Outcome run(String what, Campaign.Load load, SplittableRandom random, Path directory)
            throws IOException, RunException, InterruptedException {
        Path image = directory.resolve("disk.img");
        Path copy = directory.resolve("cut.img");
        Path disk = Files.createDirectory(directory.resolve("disk"));
        Path cut = Files.createDirectory(directory.resolve("cut"));
        Path notebooks = Files.createDirectory(directory.resolve("notebooks"));
        List<Path> mounted = new ArrayList<>();
        try {
            tool("truncate", "-s", IMAGE_SIZE, image.toString());
            tool("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", image.toString());
            mount(image, disk, mounted);
            try (Rig rig = new Rig(load, disk.resolve("journal"), notebooks)) {
                rig.start(List.of());
                TimeUnit.MILLISECONDS.sleep(random.nextInt(LEAST_MILLIS, MOST_MILLIS));
                rig.checkHealthy();
                rig.killRelay();
                Files.copy(image, copy);
                rig.killAll();
                mount(copy, cut, mounted);
                Account account = Account.of(cut.resolve("journal"), Level.FORCED, false, rig.clients());
                return Campaign.Outcome.of(what, Level.FORCED, 1, account, List.of());
            }
        } finally {
            unmount(mounted);
        }
    }

    /** The kernel writes nothing by itself for some minutes. */
    private static void mount(Path image, Path at, List<Path> mounted) throws IOException, InterruptedException {
        tool("mount", "-o", "loop,commit=300", image.toString(), at.toString());
        mounted.add(at);
    }

    /** Also where this thread was interrupted: nothing stays mounted. */
    private static void unmount(List<Path> mounted) throws IOException {
        boolean interrupted = Thread.interrupted();
        for (Path at : mounted) {
            try {
                tool("umount", at.toString());
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void tool(String... command) throws IOException, InterruptedException {
        Tool.Outcome outcome = new Subprocess(TOOL_MILLIS).run(List.of(command));
        if (!outcome.succeeded()) {
            throw new IOException(String.join(" ", command) + ": " + outcome.firstLine());
        }
    }
}
