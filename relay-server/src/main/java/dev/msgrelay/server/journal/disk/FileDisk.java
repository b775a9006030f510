package dev.msgrelay.server.journal.disk;

import dev.msgrelay.protocol.text.SystemWords;
import dev.msgrelay.protocol.text.TextFile;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

public final class FileDisk implements Disk {
    /** The longest read or write. For heap buffers the JDK keeps this much direct memory for each thread. */
    public static final int PIECE = 256 << 10;

    public static final String LOCK = "lock";
    private static final int LOCK_TEXT = 200;

    /** Directories that this process has locked. A second channel of a lock file would free the lock when closed. */
    private static final Set<Path> LOCKED = ConcurrentHashMap.newKeySet();

    /** A disk with fewer free bytes counts as full, because a new file needs a block and a few bytes more. */
    private static final long LITTLE_BYTES = 64 << 10;

    private final Path directory;
    private final SystemWords words;
    private volatile Optional<Locked> locked = Optional.empty();

    /** The channel and the store of a locked directory, kept for a time when the process can open no more files. */
    private record Locked(FileChannel folder, FileStore store) {}

    public FileDisk(Path directory) {
        this(directory, SystemWords.here());
    }

    public FileDisk(Path directory, SystemWords words) {
        this.directory = directory;
        this.words = words;
    }

    /** Opens a directory; makes it if there is none. The message of a fault names the directory. */
    public static FileDisk openOrCreate(Path directory) throws IOException {
        try {
            OwnFiles.makeFolder(directory);
        } catch (IOException e) {
            String why = TextFile.fault(e);
            String place = directory + ": ";
            throw new DiskException(
                    "journal: cannot make the directory " + (why.startsWith(place) ? why : place + why), e);
        }
        return new FileDisk(directory);
    }

    /** Checks whether {@link #openOrCreate} can make a directory. A fault's message names the directory. */
    public static void check(Path directory) throws IOException {
        Path there = directory.toAbsolutePath();
        while (!Files.exists(there)) {
            there = there.getParent();
        }
        if (!Files.isDirectory(there) || !Files.isWritable(there)) {
            throw new DiskException("journal: cannot make the directory " + directory + ": " + there
                    + (Files.isDirectory(there) ? " cannot be written to" : " is no directory"));
        }
    }

    @Override
    public String place() {
        return directory.toString();
    }

    @Override
    public List<String> names() throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.map(file -> file.getFileName().toString()).toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    @Override
    public boolean has(String name) {
        return Files.exists(directory.resolve(name));
    }

    @Override
    public long length(String name) throws IOException {
        checkFile(name);
        return Files.size(directory.resolve(name));
    }

    @Override
    public File open(String name) throws IOException {
        checkFile(name);
        try {
            return new OpenFile(openOrMake(directory.resolve(name)));
        } catch (IOException e) {
            throw explained(e);
        }
    }

    @Override
    public File openToRead(String name) throws IOException {
        checkFile(name);
        return new OpenFile(FileChannel.open(directory.resolve(name), StandardOpenOption.READ));
    }

    /** Refuses a file that is not a regular one, because opening a pipe may block for ever. */
    private void checkFile(String name) throws IOException {
        Path path = directory.resolve(name);
        if (!Files.isRegularFile(path) && Files.exists(path)) {
            throw new DiskException("journal " + directory + ": " + name + " is no regular file");
        }
    }

    @Override
    public void rename(String from, String to) throws IOException {
        try {
            Files.move(directory.resolve(from), directory.resolve(to), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw explained(e);
        }
    }

    @Override
    public void delete(String name) throws IOException {
        Files.delete(directory.resolve(name));
    }

    @Override
    public void force() throws IOException {
        Optional<Locked> now = locked;
        if (now.isPresent()) {
            OwnFiles.forceFolder(now.get().folder, "journal " + directory);
        } else {
            OwnFiles.forceFolder(directory, "journal " + directory);
        }
    }

    @Override
    public long free() throws IOException {
        Optional<Locked> now = locked;
        return (now.isPresent() ? now.get().store : Files.getFileStore(directory)).getUsableSpace();
    }

    @Override
    public Closeable lock(boolean toWrite) throws IOException {
        return lock(toWrite, path -> toWrite ? openOrMake(path) : FileChannel.open(path, StandardOpenOption.READ));
    }

    private static FileChannel openOrMake(Path file) throws IOException {
        return OwnFiles.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    public interface Opening {
        FileChannel open(Path file) throws IOException;
    }

    /** For tests, which have channels of their own. */
    public Closeable lock(boolean toWrite, Opening opening) throws IOException {
        checkFile(LOCK);
        Path path = directory.resolve(LOCK);
        Path place = directory.toRealPath();
        if (!LOCKED.add(place)) {
            throw new DiskException("journal " + directory + " is in use by this process");
        }
        boolean done = false;
        try {
            Closeable lock = lock(opening.open(path), toWrite, place);
            done = true;
            return lock;
        } catch (NoSuchFileException e) {
            throw new DiskException("there is no journal in " + directory, e);
        } finally {
            if (!done) {
                LOCKED.remove(place);
            }
        }
    }

    private Closeable lock(FileChannel file, boolean toWrite, Path place) throws IOException {
        try {
            if (!OwnFiles.lock(file, !toWrite, "journal " + directory)) {
                throw new DiskException("journal " + directory + " is in use by " + holder(file));
            }
            if (toWrite) {
                sayHolder(file);
            }
            FileChannel folder = OwnFiles.openFolder(directory, "journal " + directory);
            locked = Optional.of(new Locked(folder, Files.getFileStore(directory)));
            return () -> {
                locked = Optional.empty();
                try (file;
                        folder) {
                    LOCKED.remove(place);
                }
            };
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    private void sayHolder(FileChannel channel) throws IOException {
        ByteBuffer text = StandardCharsets.UTF_8.encode(
                "process " + ProcessHandle.current().pid() + '\n');
        try {
            channel.truncate(0);
            channel.write(text, 0);
        } catch (IOException e) {
            throw explained(e);
        }
    }

    private static String holder(FileChannel channel) throws IOException {
        ByteBuffer text = ByteBuffer.allocate(LOCK_TEXT);
        channel.read(text, 0);
        String who = StandardCharsets.UTF_8.decode(text.flip()).toString().strip();
        return who.matches("process \\d+") ? who : "somebody who has not said a name";
    }

    /**
     * The exception for a failed write, new file or new name. The system's reason is only a text, in any language. An
     * exception that certainly means a broken or missing disk is returned unchanged. Any other exception becomes {@link
     * DiskException.Full}, and the journal tries again. If the disk has lost earlier bytes, the next force fails and
     * ends the journal.
     */
    private IOException explained(IOException e) {
        // Only exceptions of exactly these classes have a reason from the system. A missing file has another class.
        boolean ofTheSystem = e.getClass() == IOException.class || e.getClass() == FileSystemException.class;
        if (ofTheSystem && !words.tellInputOutput(e) && !isReadOnly(e)) {
            String why =
                    e instanceof FileSystemException of && of.getReason() != null ? of.getReason() : e.getMessage();
            return new DiskException.Full("journal " + directory, why, e);
        }
        return e;
    }

    private boolean isReadOnly(IOException e) {
        try {
            return Files.getFileStore(directory).isReadOnly();
        } catch (IOException unknown) {
            e.addSuppressed(unknown);
            return false;
        }
    }

    @Override
    public boolean opens() {
        try {
            FileChannel.open(directory, StandardOpenOption.READ).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public String shortage() {
        if (!opens()) {
            return "no more files can be opened (ulimit -n)";
        }
        try {
            if (free() < LITTLE_BYTES) {
                return "no space left";
            }
        } catch (IOException unknown) {
            return "it cannot be looked at";
        }
        Path probe = directory.resolve("probe" + FRESH);
        try (FileChannel file = openOrMake(probe)) {
            file.write(ByteBuffer.allocate(1), 0);
        } catch (IOException e) {
            return Files.exists(probe)
                    ? "no space left (a quota?)"
                    : "no file can be made (no inodes left, or a quota?)";
        } finally {
            deleteProbe(probe);
        }
        return "a small file fits, and what is needed does not (a limit of a file's size, as of ulimit -f, or a"
                + " quota?)";
    }

    private static void deleteProbe(Path probe) {
        try {
            Files.deleteIfExists(probe);
        } catch (IOException nextTime) {
            // The next probe replaces the file.
        }
    }

    /** For tests, which have channels of their own. */
    public File over(FileChannel channel) {
        return new OpenFile(channel);
    }

    private final class OpenFile implements File {
        private final FileChannel channel;

        OpenFile(FileChannel channel) {
            this.channel = channel;
        }

        @Override
        public long length() throws IOException {
            return channel.size();
        }

        @Override
        public void read(long at, ByteBuffer into) throws IOException {
            long from = at;
            int limit = into.limit();
            int n = 0;
            while (into.position() < limit && n >= 0) {
                n = channel.read(piece(into, limit), from);
                from += n;
            }
            into.limit(limit);
        }

        private ByteBuffer piece(ByteBuffer of, int limit) {
            return of.limit(of.isDirect() ? limit : Math.min(limit, of.position() + PIECE));
        }

        @Override
        public void write(long at, ByteBuffer from) throws IOException {
            long to = at;
            int limit = from.limit();
            try {
                while (from.position() < limit) {
                    to += channel.write(piece(from, limit), to);
                }
            } catch (IOException e) {
                throw explained(e);
            } finally {
                from.limit(limit);
            }
        }

        @Override
        public void setLength(long length) throws IOException {
            long now = channel.size();
            if (length < now) {
                channel.truncate(length);
            } else if (length > now) {
                write(length - 1, ByteBuffer.allocate(1));
            }
        }

        @Override
        public void force() throws IOException {
            // The argument false leaves out the file's times. On Linux, fdatasync also forces the length.
            channel.force(false);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
