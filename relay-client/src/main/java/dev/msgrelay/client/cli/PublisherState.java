package dev.msgrelay.client.cli;

import dev.msgrelay.protocol.Epochs;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.protocol.text.TextFile;
import dev.msgrelay.protocol.text.WholeFile;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.StringReader;
import java.net.URLEncoder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;

/**
 * The file of {@code publish --ack --name} from run to run: the name's producer id, and the input of the last run. One
 * file for each name, readable by its owner alone; a second file beside it is locked during a run, so that
 * no two runs publish under one id. A file is replaced as a whole: a run, or the machine, may end at any moment.
 *
 * <pre>
 *  producer-id=0123456789abcdeffedcba9876543210
 *  input=lines of /data/orders.txt
 *  epoch=1234605616436508552            of the stream
 *  epochs=1234605616436508552:4000,-7:1 newest lives of the stream, each with its first sequence
 *  first-number=4711                    in the relay's count of the name, of the input's first message
 *  published=1000                       messages of the input; only once the run has ended
 *  known=1000                           messages at the input's beginning, as of the last run that ended, and
 *  known-crc32c=1a2b3c4d                their content; both only if the input begins with them
 * </pre>
 */
final class PublisherState implements AutoCloseable {
    private static final String PRODUCER = "producer-id";
    private static final String INPUT = "input";
    private static final String EPOCH = "epoch";
    private static final String EPOCHS = "epochs";
    private static final String FIRST = "first-number";
    private static final String PUBLISHED = "published";
    private static final String KNOWN = "known";
    private static final String KNOWN_CRC = "known-crc32c";

    /**
     * Limit of the encoded name in a file's name, which has 255 bytes at most; longer names are cut, with a hash
     * behind.
     */
    private static final int LONGEST_NAME = 150;

    /** Most bytes of the file: much longer than its content. */
    private static final int MOST_BYTES = 64 << 10;

    private final Path file;
    private final boolean keeps;
    private final Closeable lock;
    private final ProducerId producer;
    private Run run;

    /**
     * A run.
     *
     * @param input the run's input, for people and for comparison
     * @param epoch epoch of the stream
     * @param epochs the newest lives of the stream; none: an older version has kept it, or the relay tells none
     * @param first number of the input's first message, in the relay's count of the name
     * @param published messages of the input that the relay has, in the end; {@link #UNKNOWN}: the run has not ended
     * @param beginning the beginning of the input; {@link Beginning#NONE}: it is not known
     */
    record Run(String input, long epoch, Epochs epochs, long first, long published, Beginning beginning) {
        static final long UNKNOWN = -1;

        /** No run, of no input. */
        static final Run NONE = new Run("", 0, Epochs.NONE, 0, 0, Beginning.NONE);

        Run {
            // Below 1: the input begins with messages of a stream that is gone.
            if (published < UNKNOWN) {
                throw new IllegalArgumentException(PUBLISHED + " " + published);
            }
        }

        boolean hasEnded() {
            return published != UNKNOWN;
        }

        Run ended(long messages) {
            return new Run(input, epoch, epochs, first, messages, beginning);
        }

        Run with(Beginning found) {
            return new Run(input, epoch, epochs, first, published, found);
        }
    }

    /**
     * The beginning of an input, by which its file is told from another one of the same name.
     *
     * @param messages number of messages
     * @param crc CRC32C of their lengths and bodies
     */
    record Beginning(long messages, long crc) {
        static final Beginning NONE = new Beginning(0, 0);
    }

    private PublisherState() {
        keeps = false;
        file = Path.of("");
        lock = () -> {};
        producer = ProducerId.NONE;
        run = Run.NONE;
    }

    static PublisherState none() {
        return new PublisherState();
    }

    private PublisherState(Path file, FileChannel lock) throws IOException {
        this.keeps = true;
        this.file = file;
        this.lock = lock;
        try {
            boolean isNew = !Files.exists(file);
            Properties kept = isNew ? new Properties() : read(file);
            producer = isNew ? ProducerId.random() : ProducerId.parse(kept.getProperty(PRODUCER, ""));
            run = kept.getProperty(INPUT) == null
                    ? Run.NONE
                    : new Run(
                            kept.getProperty(INPUT),
                            Long.parseLong(kept.getProperty(EPOCH)),
                            Epochs.parse(kept.getProperty(EPOCHS, "")),
                            Long.parseLong(kept.getProperty(FIRST)),
                            Long.parseLong(kept.getProperty(PUBLISHED, String.valueOf(Run.UNKNOWN))),
                            beginning(kept));
            if (isNew) {
                write();
            }
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " is damaged (" + e.getMessage() + "): remove it to begin anew", e);
        }
    }

    /** The beginning of the input, which older versions do not write. */
    private static Beginning beginning(Properties kept) {
        return kept.getProperty(KNOWN) == null
                ? Beginning.NONE
                : new Beginning(
                        Long.parseLong(kept.getProperty(KNOWN)), Long.parseLong(kept.getProperty(KNOWN_CRC), 16));
    }

    /**
     * Reads a file of lines KEY=VALUE.
     *
     * @throws IllegalArgumentException it has an escape that is none
     */
    static Properties read(Path file) throws IOException {
        Properties kept = new Properties();
        try {
            kept.load(new StringReader(TextFile.read(file, MOST_BYTES)));
        } catch (FileSystemException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException(file + " cannot be read: " + e.getMessage(), e);
        }
        return kept;
    }

    /** {@code $XDG_STATE_HOME/relay-client}; {@code ~/.local/state/relay-client} if the variable is not set. */
    static Path defaultDirectory(Map<String, String> environment) {
        return Context.folder(environment, "XDG_STATE_HOME", ".local/state");
    }

    /**
     * Opens the file of a name, or makes it.
     *
     * @throws HeldException another run has the name
     * @throws IOException the file cannot be read or written
     */
    static PublisherState open(Path directory, String name) throws IOException {
        makeDirectory(directory);
        Path file = directory.resolve(fileName(name) + ".publisher");
        Path lockFile = directory.resolve(fileName(name) + ".lock");
        FileChannel lock = FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (!isMine(lockFile, lock)) {
                throw new HeldException("another relay-client publishes as '" + name + "': " + lockFile + " is locked");
            }
            return new PublisherState(file, lock);
        } catch (IOException | RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    ProducerId producer() {
        return producer;
    }

    /** Whether anything is kept for the next run. */
    boolean keeps() {
        return keeps;
    }

    /** The last run, or {@link Run#NONE}. */
    Run run() {
        return run;
    }

    /** Records a run that begins, continues or has ended; returns once that is on the disk. */
    void record(Run present) throws IOException {
        if (keeps && !present.equals(run)) {
            run = present;
            write();
        }
    }

    /** Unlocks the name for the next run. */
    @Override
    public void close() throws IOException {
        lock.close();
    }

    private void write() throws IOException {
        Properties kept = new Properties();
        kept.setProperty(PRODUCER, producer.hex());
        if (run != Run.NONE) {
            kept.setProperty(INPUT, run.input());
            kept.setProperty(EPOCH, Long.toString(run.epoch()));
            if (!run.epochs().isNone()) {
                kept.setProperty(EPOCHS, run.epochs().text());
            }
            kept.setProperty(FIRST, Long.toString(run.first()));
            if (run.hasEnded()) {
                kept.setProperty(PUBLISHED, Long.toString(run.published()));
            }
            if (run.beginning().messages() > 0) {
                kept.setProperty(KNOWN, Long.toString(run.beginning().messages()));
                kept.setProperty(KNOWN_CRC, Long.toHexString(run.beginning().crc()));
            }
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        kept.store(out, "relay-client publish: whoever knows the id can publish under the name");
        WholeFile.replace(file, out.toByteArray());
    }

    private static boolean isMine(Path file, FileChannel lock) throws IOException {
        try {
            return WholeFile.lock(lock);
        } catch (IOException e) {
            throw new IOException(
                    file + " cannot be locked (" + e.getMessage()
                            + "), and two runs might publish as one: name a folder of a" + " local disk (--state)",
                    e);
        }
    }

    private static void makeDirectory(Path directory) throws IOException {
        FileAttribute<?>[] ownerOnly =
                directory.getFileSystem().supportedFileAttributeViews().contains("posix")
                        ? new FileAttribute<?>[] {
                            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
                        }
                        : new FileAttribute<?>[0];
        List<Path> made = new ArrayList<>();
        for (Path at = directory.toAbsolutePath(); at != null && !Files.exists(at); at = at.getParent()) {
            made.add(at);
        }
        Files.createDirectories(directory, ownerOnly);
        // Forced as well: after a power cut a folder without its name has no file.
        for (Path folder : made) {
            WholeFile.forceFolder(folder.getParent());
        }
    }

    private static String fileName(String name) {
        String encoded = URLEncoder.encode(name, StandardCharsets.UTF_8);
        if (encoded.length() <= LONGEST_NAME) {
            return encoded;
        }
        UUID digest = UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
        return encoded.substring(0, LONGEST_NAME) + "-" + HexFormat.of().toHexDigits(digest.getMostSignificantBits());
    }

    /** Another run publishes under the name. */
    static final class HeldException extends IOException {
        private static final long serialVersionUID = 1L;

        HeldException(String message) {
            super(message);
        }
    }
}
