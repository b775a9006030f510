package dev.msgrelay.server.admin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/**
 * The result of {@code relay-server journal check} as a file for the textfile collector of Prometheus' node_exporter.
 *
 * @param directory directory of the journal; a label of each metric
 * @param sound false if messages are missing, or the journal could not be read
 * @param bytes number of bytes that were read and compared with their checksums
 * @param end time at which the check ended
 */
public record CheckMetrics(Path directory, boolean sound, long bytes, Instant end, Duration took) {
    public String text() {
        return gauge("sound", "1: all messages are there; 0: damaged, or unreadable", sound ? "1" : "0")
                + gauge("bytes", "of the stream that the last check has read", Long.toString(bytes))
                + gauge("time_seconds", "when the last check ended, since 1970", seconds(end.toEpochMilli()))
                + gauge("duration_seconds", "that the last check took", seconds(took.toMillis()));
    }

    private static String seconds(long millis) {
        return String.format(Locale.ROOT, "%.3f", millis / 1000.0);
    }

    private String gauge(String name, String help, String value) {
        String metric = "relay_journal_check_" + name;
        String label =
                directory.toString().replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
        return "# HELP " + metric + " " + help + "\n# TYPE " + metric + " gauge\n" + metric + "{directory=\"" + label
                + "\"} " + value + "\n";
    }

    /** Replaces the file in one step. A program never reads partial content, not even after a crash. */
    public void write(Path file) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(
                fresh,
                text(),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.SYNC);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
