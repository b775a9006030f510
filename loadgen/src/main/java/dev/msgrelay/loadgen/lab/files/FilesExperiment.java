package dev.msgrelay.loadgen.lab.files;

import dev.msgrelay.loadgen.lab.Article;
import dev.msgrelay.loadgen.lab.Column;
import dev.msgrelay.loadgen.lab.Contestant;
import dev.msgrelay.loadgen.lab.Experiment;
import dev.msgrelay.loadgen.lab.Finding;
import dev.msgrelay.loadgen.lab.Findings;
import dev.msgrelay.loadgen.lab.LabOptions;
import dev.msgrelay.loadgen.lab.LabTable;
import dev.msgrelay.loadgen.lab.Needs;
import dev.msgrelay.loadgen.lab.TableResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** Sequential file IO: four ways to write and read a file, on one that is there already and on one that grows. */
public final class FilesExperiment implements Experiment {
    private static final long MEGA = 1_000_000;
    private static final int DESCRIPTORS = 8;
    private static final String RANDOM = "RandomAccessFile";
    private static final String STREAM = "BufferedStreamFile";
    private static final String CHANNEL = "BufferedChannelFile";
    private static final String MAPPED = "MemoryMappedFile";

    private final FilesOptions options;

    public FilesExperiment(FilesOptions options) {
        this.options = options;
    }

    @Override
    public String name() {
        return "files";
    }

    @Override
    public String question() {
        return "which way to write and read a file from start to end is fast, and does it matter that the file is there?";
    }

    @Override
    public Article article() {
        return FilesArticle.ARTICLE;
    }

    @Override
    public Needs needs(LabOptions lab) {
        // Two files at a time; those of earlier tables and of the warm-ups stay until the end.
        long files = 2
                * options.megabytes().stream()
                        .mapToLong(size -> bytes(size) + Math.min(bytes(size), FileLoop.WARM_UP_BYTES))
                        .sum();
        return new Needs(files, DESCRIPTORS, 1);
    }

    @Override
    public List<LabTable> tables(LabOptions lab) {
        return options.megabytes().stream().map(this::table).toList();
    }

    /** Whole pages, as in the article. */
    private static long bytes(int megabytes) {
        return (megabytes * MEGA + SequentialFile.PAGE_SIZE - 1) / SequentialFile.PAGE_SIZE * SequentialFile.PAGE_SIZE;
    }

    private LabTable table(int megabytes) {
        List<SequentialFile> ways =
                List.of(new RandomAccess(), new BufferedStream(), new BufferedChannel(), new MemoryMapped());
        FileLoop.Task task =
                new FileLoop.Task(bytes(megabytes), options.force(), options.dropCaches(), 2 * ways.size());
        List<Contestant> loops = new ArrayList<>();
        for (boolean preallocated : new boolean[] {true, false}) {
            for (SequentialFile way : ways) {
                loops.add(new FileLoop(way, new FileLoop.Setting(preallocated, task), loops.size()));
            }
        }
        String title = String.format(
                Locale.ROOT,
                "a file of %,d MB, pages of 4,096 bytes, written and read a byte at a time; %s; %s",
                megabytes,
                options.force() ? "forced to the device within the write's time" : "not forced within the write's time",
                options.dropCaches()
                        ? "page cache dropped before each read"
                        : "page cache not dropped: the read finds in it what the column says");
        return new LabTable(
                "files-" + megabytes + "MB",
                title,
                List.of(FileLoop.WRITE, FileLoop.READ, FileLoop.IN_MEMORY),
                loops,
                FilesArticle.claims(megabytes),
                List.of(),
                result -> findings(result, megabytes));
    }

    private static List<Finding> findings(TableResult table, int megabytes) {
        List<Finding> findings = new ArrayList<>();
        String streams = "buffered streams are not useful from a performance perspective";
        String channels = "ByteBuffers and Channels are the best optimised parts of the IO libraries";
        for (Column column : List.of(FileLoop.WRITE, FileLoop.READ)) {
            // The article's stream cuts the file before it writes.
            findings.add(better(streams, table, megabytes, column, there(RANDOM), growing(STREAM)));
            findings.add(better(channels, table, megabytes, column, there(CHANNEL), growing(STREAM)));
            findings.add(better(channels, table, megabytes, column, there(CHANNEL), there(RANDOM)));
        }
        if (megabytes < FilesOptions.LARGE) {
            findings.add(better(
                    "memory-mapped files win for writes in some cases",
                    table,
                    megabytes,
                    FileLoop.WRITE,
                    there(MAPPED),
                    there(CHANNEL)));
        }
        findings.add(better(
                "for reading, RandomAccessFile and NIO do very well",
                table,
                megabytes,
                FileLoop.READ,
                there(CHANNEL),
                there(MAPPED)));
        for (String way : List.of(RANDOM, STREAM, CHANNEL, MAPPED)) {
            findings.add(Findings.better(
                    "constantly extending a file imposes a significant performance overhead",
                    table,
                    FileLoop.WRITE,
                    there(way),
                    growing(way)));
        }
        return findings;
    }

    private static Finding better(
            String claim, TableResult table, int megabytes, Column column, String better, String worse) {
        OptionalDouble article = FilesArticle.ratio(megabytes, column, better, worse);
        return article.isPresent()
                ? Findings.better(claim, table, column, better, worse, article.getAsDouble())
                : Findings.better(claim, table, column, better, worse);
    }

    private static String there(String way) {
        return way + ", " + FileLoop.PREALLOCATED;
    }

    private static String growing(String way) {
        return way + ", " + FileLoop.GROWING;
    }
}
