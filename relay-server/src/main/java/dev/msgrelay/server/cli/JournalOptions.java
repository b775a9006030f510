package dev.msgrelay.server.cli;

import dev.msgrelay.protocol.text.Durations;
import dev.msgrelay.protocol.text.Sizes;
import dev.msgrelay.server.config.JournalConfig;
import dev.msgrelay.server.config.RelayConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Options of {@link JournalConfig}. */
final class JournalOptions {
    /** How much to keep: a size, or a time. */
    record Keep(long bytes, Duration time) {
        @Override
        public String toString() {
            return time == null ? Long.toString(bytes) : Durations.format(time);
        }
    }

    /** Converts a size, or a time with one of the letters s, h and d, which no size has. */
    static final class KeepConverter implements ITypeConverter<Keep> {
        @Override
        public Keep convert(String value) {
            try {
                boolean time = value.strip().toLowerCase(java.util.Locale.ROOT).matches("\\d+[shd]");
                return time
                        ? new Keep(JournalConfig.UNLIMITED, Durations.parse(value))
                        : new Keep(Sizes.parse(value, Long.MAX_VALUE), null);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage() + "; or a time like 3600s, 12h or 7d");
            }
        }
    }

    @Option(
            names = "--journal",
            paramLabel = "DIR",
            description = "Also keeps the stream in this directory, so that it survives the relay: a restarted relay "
                    + "continues after the last message. The log may be ahead of the journal by --log-size, then "
                    + "publishers wait.%n  Default: no journal; the stream ends with the relay.")
    private Path directory;

    @Option(
            names = "--journal-segment",
            paramLabel = "SIZE",
            defaultValue = "128m",
            converter = ByteSize.class,
            description =
                    "Size of the journal's files. The journal drops one file at a time. The longest frame may have "
                            + "three quarters of it.")
    private int segmentBytes;

    @Option(
            names = "--journal-keep",
            paramLabel = "SIZE|TIME",
            defaultValue = "10g",
            converter = KeepConverter.class,
            description = "Size of the stream to keep, such as 100g; the disk needs room for three segments more, or "
                    + "the relay does not start. Or a time, such as 12h or 7d: then the size is not checked, "
                    + "and publishers wait when the disk is full.")
    private Keep keep;

    @Option(
            names = "--journal-force",
            paramLabel = "TIME",
            defaultValue = "1s",
            converter = TimeSpan.class,
            description =
                    "Interval at which written messages are forced to the disk. Written messages survive the relay, "
                            + "forced messages survive the machine.")
    private Duration force;

    @Option(
            names = "--journal-failure",
            paramLabel = "NAME",
            defaultValue = "exit",
            description = "What to do when the disk fails (the relay waits for a full disk): ${COMPLETION-CANDIDATES}. "
                    + "exit: the relay stops, with code 4. memory: it continues without a journal.",
            completionCandidates = Candidates.Failures.class)
    private JournalConfig.Failure failure;

    void applyTo(RelayConfig.Builder config) {
        config.journal(directory)
                .journalSegment(segmentBytes)
                .journalForce(force)
                .journalFailure(failure);
        if (keep.time() == null) {
            config.journalKeep(keep.bytes());
        } else {
            config.journalKeep(keep.time());
        }
    }

    /**
     * Checks the directory, and changes nothing.
     *
     * @throws IllegalArgumentException the directory cannot hold a journal
     */
    void check() {
        if (directory != null && directory.toString().isEmpty()) {
            throw new IllegalArgumentException("journal is empty: it is the name of a directory");
        }
        if (directory != null && Files.exists(directory) && !Files.isDirectory(directory)) {
            throw new IllegalArgumentException("journal " + directory + " is no directory");
        }
        if (directory != null && Files.exists(directory) && !Files.isWritable(directory)) {
            throw new IllegalArgumentException("journal " + directory + " cannot be written to");
        }
    }
}
