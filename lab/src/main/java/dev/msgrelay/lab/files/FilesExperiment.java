package dev.msgrelay.lab.files;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.lab.ArticleFigures;
import dev.msgrelay.lab.Claim;
import dev.msgrelay.lab.Column;
import dev.msgrelay.lab.Contestant;
import dev.msgrelay.lab.Contestant.Go;
import dev.msgrelay.lab.Experiment;
import dev.msgrelay.lab.LabTable;
import dev.msgrelay.lab.Measurement;
import dev.msgrelay.lab.Needs;
import dev.msgrelay.lab.Threads;
import dev.msgrelay.lab.WrongResultException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Compares four ways to write and read a file sequentially, for a file that exists and for one that grows. */
public final class FilesExperiment {
    static final Column WRITE = Column.higher("write", "MB/s");
    static final Column READ = Column.higher("read", "MB/s");

    private static final int SMALL = 400;

    /** More than the memory of the article's machine. */
    private static final int LARGE = 8_000;

    private static final String RANDOM = "RandomAccessFile";
    private static final String STREAM = "BufferedStreamFile";
    private static final String CHANNEL = "BufferedChannelFile";
    private static final String MAPPED = "MemoryMappedFile";
    private static final String THERE = ", pre-allocated";
    private static final String GROWING = ", growing";
    private static final List<String> WAYS = List.of(RANDOM, STREAM, CHANNEL, MAPPED);

    /**
     * The article's figures: the slowest, the median and the fastest of five loops, in MB/s. Its buffered streams are
     * compared with our loops on a growing file, because the article's stream truncates the file before it writes.
     */
    private static final ArticleFigures ARTICLE_SMALL = ArticleFigures.of(List.of(WRITE, READ), """
            RandomAccessFile, pre-allocated    | 250.4-260.4-379.6 | 1388.5-1422.2-1494.9
            BufferedStreamFile, growing        | 82.95-100.2-113.1 | 152.6-154.1-288.9
            BufferedChannelFile, pre-allocated | 212.8-228.4-265.6 | 356.2-1534.1-1539.8
            MemoryMappedFile, pre-allocated    | 301.0-326.4-327.7 | 303.6-304.5-310.5
            """);

    private static final ArticleFigures ARTICLE_LARGE = ArticleFigures.of(List.of(WRITE, READ), """
            RandomAccessFile, pre-allocated    | 167.4-191.8-193.9 | 245.2-251.9-275.3
            BufferedStreamFile, growing        | 131.1-133.1-154.8 | 146.1-148.1-253.4
            BufferedChannelFile, pre-allocated | 186.7-190.6-192.7 | 211.0-215.1-223.1
            MemoryMappedFile, pre-allocated    | 120.4-122.0-123.3 | 229.9-231.2-231.7
            """);

    private FilesExperiment() {}

    public static Experiment of(Experiment.Settings settings) {
        List<Integer> sizes = settings.sizes() == null
                ? List.of(settings.quick() ? 32 : SMALL)
                : settings.sizes().stream().distinct().toList();
        // There are two files for each table, and two smaller ones for its warm-up. All stay until the end.
        long disk = 2
                * sizes.stream()
                        .mapToLong(size -> bytes(size) + Math.min(bytes(size), Loop.WARM_UP_BYTES))
                        .sum();
        return new Experiment(
                "files",
                "Which way to write and read a file from start to end is fast, and does it matter that the file is there?",
                "Java Sequential IO Performance, 2011",
                "2.0 GHz Sandy Bridge, 8 GB of memory, Intel 320 SSD, ext4, Fedora 15, Java 6",
                new Needs(disk, 8, 1),
                () -> sizes.stream().map(FilesExperiment::table).toList(),
                () -> {});
    }

    /** Rounds up to whole pages, as in the article. */
    private static long bytes(int megabytes) {
        int page = SequentialFile.PAGE_SIZE;
        return (megabytes * 1_000_000L + page - 1) / page * page;
    }

    private static LabTable table(int megabytes) {
        return new LabTable(
                "files-" + megabytes + "MB",
                format(
                        "a file of %,d MB, pages of 4,096 bytes, written and read a byte at a time, with the page cache",
                        megabytes),
                List.of(WRITE, READ),
                loops(megabytes),
                megabytes == SMALL ? ARTICLE_SMALL : megabytes == LARGE ? ARTICLE_LARGE : ArticleFigures.NONE,
                result -> Claim.judge(claims(megabytes), result),
                List.of());
    }

    private static List<Contestant> loops(int megabytes) {
        List<SequentialFile> ways = List.of(
                new SequentialFile.RandomAccess(),
                new SequentialFile.BufferedStream(),
                new SequentialFile.BufferedChannel(),
                new SequentialFile.MemoryMapped());
        List<Contestant> loops = new ArrayList<>();
        for (boolean preallocated : new boolean[] {true, false}) {
            for (int i = 0; i < ways.size(); i++) {
                Loop loop = new Loop(ways.get(i), preallocated, bytes(megabytes), loops.size());
                loops.add(new Contestant(WAYS.get(i), preallocated ? "pre-allocated" : "growing", loop::go));
            }
        }
        return loops;
    }

    private static List<Claim> claims(int megabytes) {
        List<Claim> claims = new ArrayList<>();
        String streams = "buffered streams are not useful from a performance perspective";
        String channels = "ByteBuffers and Channels are the best optimised parts of the IO libraries";
        for (Column column : List.of(WRITE, READ)) {
            // The article's stream truncates the file before it writes.
            claims.add(Claim.better(streams, column, RANDOM + THERE, STREAM + GROWING));
            claims.add(Claim.better(channels, column, CHANNEL + THERE, STREAM + GROWING));
            claims.add(Claim.better(channels, column, CHANNEL + THERE, RANDOM + THERE));
        }
        if (megabytes < LARGE) {
            String mapped = "memory-mapped files win for writes in some cases";
            claims.add(Claim.better(mapped, WRITE, MAPPED + THERE, CHANNEL + THERE));
        }
        String reading = "for reading, RandomAccessFile and NIO do very well";
        claims.add(Claim.better(reading, READ, CHANNEL + THERE, MAPPED + THERE));
        String extending = "constantly extending a file imposes a significant performance overhead";
        WAYS.forEach(way -> claims.add(Claim.better(extending, WRITE, way + THERE, way + GROWING)));
        return claims;
    }

    /**
     * One of the article's loops: it writes the file and reads it back, and measures both. Then the content is checked.
     * All loops of a table, each with its index, use the same two files in turn: one that keeps its size, and one that
     * grows from nothing.
     */
    record Loop(SequentialFile way, boolean preallocated, long size, int index) {
        static final long WARM_UP_BYTES = 32_000_000;

        /** More than the number of loops of a table. */
        private static final int LOOPS = 16;

        Measurement go(Go go) throws IOException, WrongResultException, InterruptedException {
            return interruptibly(() -> run(go, go.isWarmUp() ? Math.min(WARM_UP_BYTES, size) : size));
        }

        /**
         * Runs a loop on a daemon thread, since a loop over gigabytes does not react to an interrupt. After an
         * interrupt the thread is abandoned.
         */
        static <T> T interruptibly(Callable<T> loop) throws IOException, WrongResultException, InterruptedException {
            FutureTask<T> task = new FutureTask<>(loop);
            Threads.daemon("file-loop", task).start();
            try {
                return task.get();
            } catch (ExecutionException e) {
                Throwable cause = e.getCause();
                if (cause instanceof IOException failure) {
                    throw failure;
                }
                if (cause instanceof WrongResultException wrong) {
                    throw wrong;
                }
                throw new IllegalStateException("the loop failed: " + cause, cause);
            }
        }

        private Measurement run(Go go, long bytes) throws IOException, WrongResultException {
            Path file = go.scratch().resolve((preallocated ? "pre-allocated-" : "growing-") + bytes);
            if (!preallocated) {
                // The file is truncated, not deleted: as long as a mapping exists, a deleted file would keep its
                // blocks.
                Files.write(file, new byte[0]);
            } else if (!Files.exists(file)) {
                preallocate(file, bytes);
            }
            // The content differs from that of the previous loop on this file.
            Content content = new Content(bytes, go.round() * LOOPS + index);
            System.gc();
            long start = System.nanoTime();
            int written = way.write(file, content);
            long writeNanos = System.nanoTime() - start;
            check("wrote", written, content);

            settle(file);
            System.gc();
            start = System.nanoTime();
            int read = way.read(file);
            long readNanos = System.nanoTime() - start;
            check("read", read, content);
            content.verify(file);
            return Measurement.of(WRITE, 1e3 * bytes / writeNanos).and(READ, 1e3 * bytes / readNanos);
        }

        private static void check(String did, int checkSum, Content content) throws WrongResultException {
            if (checkSum != content.checkSum()) {
                throw new WrongResultException(
                        did + " bytes of checksum " + checkSum + " instead of " + content.checkSum());
            }
        }

        /** Forces the data to the disk, so that its writing disturbs neither the read nor the next loop. */
        private static void settle(Path file) throws IOException {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.force(false);
            }
        }

        private static void preallocate(Path file, long bytes) throws IOException {
            byte[] page = new byte[SequentialFile.PAGE_SIZE];
            try (OutputStream out = Files.newOutputStream(file)) {
                for (long left = bytes; left > 0; left -= page.length) {
                    out.write(page, 0, (int) Math.min(left, page.length));
                }
            }
            settle(file);
        }
    }
}
