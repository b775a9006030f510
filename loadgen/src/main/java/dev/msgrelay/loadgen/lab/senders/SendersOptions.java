package dev.msgrelay.loadgen.lab.senders;

import java.time.Duration;
import java.util.List;

/**
 * What the experiment can be told.
 *
 * @param clients how many at a time; several are rows of one table
 * @param limits MB/s at which each client reads, a table each; 0 for as fast as it can
 * @param workers of the pool
 * @param socketKilobytes the size of each socket's buffers in KiB; 0 leaves it to the operating system
 * @param files their sizes in bytes
 * @param duration of the measured part of a go
 */
public record SendersOptions(
        List<Integer> clients,
        List<Integer> limits,
        int workers,
        int socketKilobytes,
        List<Long> files,
        Duration duration) {
    public static final int WORKERS = 50;

    /** The default of the article's machine. */
    public static final int SOCKET_KILOBYTES = 81;

    public static final int MAX_CLIENTS = 5_000;
    public static final int MAX_WORKERS = 5_000;
    public static final int MAX_LIMIT = 10_000;
    public static final int MAX_SOCKET_KILOBYTES = 1 << 20;

    /** With it, files that are more than sockets hold are there within a short go. */
    public static final int QUICK_LIMIT = 10;

    public static final Duration DURATION = Duration.ofSeconds(5);
    public static final Duration QUICK_DURATION = Duration.ofMillis(250);

    private static final List<Long> ARTICLE_FILES =
            List.of(1_000L, 200_000L, 500_000L, 1_000_000L, 20_000_000L, 100_000_000L);

    public SendersOptions {
        clients = clients.stream().distinct().toList();
        limits = limits.stream().distinct().toList();
        files = List.copyOf(files);
    }

    /** The article's; for a quick look few clients, a small pool and small files. */
    public static SendersOptions defaults(boolean quick) {
        return quick
                ? new SendersOptions(
                        List.of(16),
                        List.of(0, QUICK_LIMIT),
                        4,
                        SOCKET_KILOBYTES,
                        List.of(1_000L, 200_000L, 500_000L, 1_000_000L),
                        QUICK_DURATION)
                : new SendersOptions(
                        List.of(50, 100, 200, 300), List.of(0, 1), WORKERS, SOCKET_KILOBYTES, ARTICLE_FILES, DURATION);
    }

    /** Before the measured part. */
    Duration leadIn() {
        return duration.dividedBy(5);
    }
}
