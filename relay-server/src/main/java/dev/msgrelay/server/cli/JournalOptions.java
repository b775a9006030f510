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

/** The options of {@link JournalConfig}. */
final class JournalOptions {
    /** How much is kept: one of the two. */
    record Keep(long bytes, Duration time) {}

    /** A size as everywhere, or a time, whose letters are not those of sizes. */
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
            description =
                    "Keeps the stream in this directory, too, where it outlives the relay: the next one goes on behind its last"
                            + " message. The log is as far ahead of it as --log-size lets it, then publishers wait.%n"
                            + "  Default: no journal; what is in the stream ends with the relay.")
    private Path directory;

    @Option(
            names = "--journal-segment",
            paramLabel = "SIZE",
            defaultValue = "128m",
            converter = ByteSize.class,
            description =
                    "Length of the journal's files, which is what is dropped at once. The longest frame may be three quarters"
                            + " of it.")
    private int segmentBytes;

    @Option(
            names = "--journal-keep",
            paramLabel = "SIZE|TIME",
            defaultValue = "10g",
            converter = KeepConverter.class,
            description =
                    "How much of the stream is kept, such as 100g, and three segments more; the relay does not start where"
                            + " that does not fit. Or for how long, such as 12h or 7d: what that needs nobody knows"
                            + " before, and when the disk is full publishers wait.")
    private Keep keep;

    @Option(
            names = "--journal-force",
            paramLabel = "TIME",
            defaultValue = "1s",
            converter = TimeSpan.class,
            description =
                    "What is written, and so survives the relay, is forced to the disk after so long, and then survives the"
                            + " machine.")
    private Duration force;

    @Option(
            names = "--journal-failure",
            paramLabel = "NAME",
            defaultValue = "exit",
            description =
                    "When the disk fails (a full one is waited for): ${COMPLETION-CANDIDATES}. exit: the relay stops, with code"
                            + " 4. memory: it goes on without a journal.",
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
     * Looks at the directory, and changes nothing.
     *
     * @throws IllegalArgumentException it cannot be one
     */
    void check() {
        if (directory != null && Files.exists(directory) && !Files.isDirectory(directory)) {
            throw new IllegalArgumentException("journal " + directory + " is no directory");
        }
        if (directory != null && Files.exists(directory) && !Files.isWritable(directory)) {
            throw new IllegalArgumentException("journal " + directory + " cannot be written to");
        }
    }
}
