package dev.msgrelay.trials;

import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.host.Tool;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A disk of its own: an ext4 file system in a file, which is mounted until this is closed. One thread owns it. */
final class LoopDisk implements AutoCloseable {
    private static final long TOOL_MILLIS = 120_000;
    private static final String FILLER = "filler";
    private static final int BLOCK = 64 << 10;

    private final Path directory;
    private final Path at;
    private Path image;
    private int cuts;
    private boolean mounted;
    private boolean frozen;

    /**
     * @param directory an empty one
     * @param megabytes its size
     */
    LoopDisk(Path directory, int megabytes) throws IOException, InterruptedException {
        this.directory = directory;
        this.at = Files.createDirectory(directory.resolve("disk"));
        this.image = directory.resolve("disk-0.img");
        tool("truncate", "-s", megabytes + "M", image.toString());
        tool("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", image.toString());
        mount();
    }

    /** Why there can be none here; null where there can. */
    static String obstacle(String what) throws InterruptedException {
        Subprocess tools = new Subprocess();
        try {
            if (!tools.run(List.of("id", "-u")).output().equals("0")) {
                return what + " needs root, to mount a file system";
            }
            for (String tool : List.of("mkfs.ext4", "mount", "umount", "losetup", "fallocate")) {
                if (Subprocess.find(tool).isEmpty()) {
                    return what + " needs " + tool;
                }
            }
            Tool.Completed loop = tools.run(List.of("losetup", "-f"));
            return loop.succeeded() ? null : what + " needs a loop device: " + loop.firstLine();
        } catch (IOException e) {
            return what + " needs loop devices: " + e.getMessage();
        }
    }

    /** Where it is mounted. */
    Path at() {
        return at;
    }

    /** A directory in it. */
    Path journal() {
        return at.resolve("journal");
    }

    /** Somebody else takes all of its space, to the last block. */
    void fill() throws IOException, InterruptedException {
        Path filler = at.resolve(FILLER);
        long free = Files.getFileStore(at).getUsableSpace() / BLOCK * BLOCK;
        // At once, what can be had at once; what is left, and all of it where that is not known here, as it comes.
        new Subprocess(TOOL_MILLIS).run(List.of("fallocate", "-l", "" + Math.max(BLOCK, free), filler.toString()));
        try (FileChannel channel = FileChannel.open(
                filler, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND)) {
            ByteBuffer block = ByteBuffer.allocateDirect(BLOCK);
            for (int length = BLOCK; length > 0; ) {
                try {
                    channel.write(block.clear().limit(length));
                } catch (IOException e) {
                    // No space for so much: less, then.
                    length /= 2;
                }
            }
        }
    }

    /** Why it cannot be {@link #freeze frozen} here; null where it can. */
    static String freezeObstacle(String what) throws InterruptedException {
        return Subprocess.find("fsfreeze").isEmpty() ? what + " needs fsfreeze" : obstacle(what);
    }

    /** It answers nobody who writes or forces, until {@link #thaw}: as a disk that is busy with something else. */
    void freeze() throws IOException, InterruptedException {
        frozen = true;
        tool("fsfreeze", "-f", at.toString());
    }

    /** Whoever waited for it goes on. */
    void thaw() throws IOException, InterruptedException {
        tool("fsfreeze", "-u", at.toString());
        frozen = false;
    }

    /** Also where this thread was interrupted. */
    void thawIfFrozen() throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            if (frozen) {
                thaw();
            }
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** There is room again. */
    void free() throws IOException {
        Files.deleteIfExists(at.resolve(FILLER));
    }

    /**
     * The power fails, and comes back: there is what was forced, and what the kernel has written by itself. Nobody may
     * use it meanwhile.
     */
    void cutPower() throws IOException, InterruptedException {
        Path copy = directory.resolve("disk-" + ++cuts + ".img");
        tool("cp", image.toString(), copy.toString());
        // What is not in the copy need not be written any more.
        remove(journal());
        umount();
        Files.delete(image);
        image = copy;
        mount();
    }

    private static void remove(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> all = Files.walk(directory)) {
                for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(path);
                }
            }
        }
    }

    /** The kernel writes nothing by itself for some minutes. */
    private void mount() throws IOException, InterruptedException {
        tool("mount", "-o", "loop,commit=300", image.toString(), at.toString());
        mounted = true;
    }

    private void umount() throws IOException, InterruptedException {
        tool("umount", at.toString());
        mounted = false;
    }

    /** Also where this thread was interrupted: nothing stays mounted. */
    @Override
    public void close() throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            thawIfFrozen();
            if (mounted) {
                umount();
            }
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void tool(String... command) throws IOException, InterruptedException {
        Tool.Completed outcome = new Subprocess(TOOL_MILLIS).run(List.of(command));
        if (!outcome.succeeded()) {
            throw new IOException(String.join(" ", command) + ": " + outcome.firstLine());
        }
    }
}
