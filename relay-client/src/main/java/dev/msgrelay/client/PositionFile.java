package dev.msgrelay.client;

import dev.msgrelay.protocol.Epochs;
import dev.msgrelay.protocol.text.TextFile;
import dev.msgrelay.protocol.text.WholeFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A position in a file.
 *
 * <pre>
 *  epoch=1234605616436508552
 *  next=4711
 *  epochs=1234605616436508552:4000,-7:1         only if there is more than one: each with its first sequence
 * </pre>
 */
final class PositionFile implements PositionStore {
    private static final Pattern CONTENT =
            Pattern.compile("epoch=(-?\\d+)\\Rnext=(\\d+)(?:\\Repochs=([-0-9:,]+))?\\R?");

    /** Most bytes of the file: much longer than its content. */
    private static final int MOST_BYTES = 1 << 10;

    private final Path file;
    // The file itself is replaced at each save, and a lock on it would go with the old one. Null: not open.
    private FileChannel lock;

    PositionFile(Path file) {
        this.file = file;
    }

    @Override
    public synchronized Optional<Position> load() throws IOException {
        lock();
        try {
            return read();
        } catch (IOException | RuntimeException | Error e) {
            release();
            throw e;
        }
    }

    private void lock() throws IOException {
        Path beside = file.resolveSibling(file.getFileName() + ".lock");
        if (lock != null) {
            throw inUse(beside);
        }
        FileChannel opened = FileChannel.open(beside, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (!WholeFile.lock(opened)) {
                throw inUse(beside);
            }
            lock = opened;
        } finally {
            if (lock == null) {
                opened.close();
            }
        }
    }

    private IOException inUse(Path beside) {
        return new IOException(
                "the position in " + file + " is in use by another subscriber, which has locked " + beside);
    }

    @Override
    public synchronized void release() {
        try {
            if (lock != null) {
                lock.close();
            }
        } catch (IOException e) {
            // The descriptor is gone all the same, and the lock with it.
        } finally {
            lock = null;
        }
    }

    private Optional<Position> read() throws IOException {
        try {
            Matcher content = CONTENT.matcher(TextFile.read(file, MOST_BYTES));
            if (!content.matches()) {
                throw new IllegalArgumentException("expected lines epoch=NUMBER and next=NUMBER");
            }
            Epochs epochs = content.group(3) == null ? Epochs.NONE : Epochs.parse(content.group(3));
            return Optional.of(
                    new Position(Long.parseLong(content.group(1)), Long.parseLong(content.group(2)), epochs));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (FileSystemException e) {
            throw e;
        } catch (IOException | IllegalArgumentException e) {
            throw new IOException(
                    "the position in " + file + " cannot be read: " + e.getMessage()
                            + "; remove the file to begin anew",
                    e);
        }
    }

    @Override
    public void save(Position position) throws IOException {
        String content = "epoch=" + position.epoch() + "\nnext=" + position.next() + "\n";
        // One life says no more than its epoch; and older versions read a file without this line.
        if (position.epochs().rows().size() > 1) {
            content += "epochs=" + position.epochs().text() + "\n";
        }
        WholeFile.replace(file, content.getBytes(StandardCharsets.UTF_8));
    }
}
