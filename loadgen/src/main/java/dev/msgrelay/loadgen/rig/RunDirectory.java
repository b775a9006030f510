package dev.msgrelay.loadgen.rig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.UserPrincipal;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A directory for the Unix sockets, the keys and the data of runs, for nobody else to read, which goes with them. As long
 * as its process lives, that has a lock on a file in there; the kernel takes the lock away however the process ends. So the next process that needs such a directory
 * knows what a killed one has left in the same place, and removes it. Thread-safe.
 */
final class RunDirectory implements AutoCloseable {
    static final String LOCK = ".lock";
    private static final String PREFIX = "loadgen";
    private static final Pattern NAME = Pattern.compile(PREFIX + "\\d+");
    private static final String SOCKET = ".sock";
    private static final String PEM = ".pem";
    private static final String DATA = "data";

    /** Entries that are looked at: a place full of others must not hold a run up. */
    private static final int MAX_LOOKS = 1_000;

    /**
     * Those of this process: to close a locked file that was opened once more would let the lock
     * go.
     */
    private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

    private final Path path;
    private final FileChannel lock;
    private boolean closed;

    private RunDirectory(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /** A new one within the parent, null for temporary files; the ones that others have left beside it go. */
    static synchronized RunDirectory in(Path parent) throws IOException {
        Path place = parent == null ? Path.of(System.getProperty("java.io.tmpdir")) : parent;
        Path path = Files.createTempDirectory(place, PREFIX);
        OWN.add(path);
        RunDirectory directory = new RunDirectory(path, lock(path.resolve(LOCK)));
        directory.sweep();
        return directory;
    }

    /** The file has content once it is locked; null where there are no locks: then nobody takes it for a left one. */
    private static FileChannel lock(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() != null) {
                String owner = PREFIX + " " + ProcessHandle.current().pid() + "\n";
                channel.write(ByteBuffer.wrap(owner.getBytes(StandardCharsets.US_ASCII)));
                return channel;
            }
        } catch (IOException e) {
            // as without locks
        }
        channel.close();
        return null;
    }

    /** Removes what processes of this user that are no more have left beside this one, as far as it can be done. */
    void sweep() {
        synchronized (RunDirectory.class) {
            int looks = 0;
            try (DirectoryStream<Path> all = Files.newDirectoryStream(path.getParent(), PREFIX + "*")) {
                UserPrincipal user = Files.getOwner(path);
                for (Path one : all) {
                    if (++looks > MAX_LOOKS) {
                        return;
                    }
                    if (!OWN.contains(one)
                            && NAME.matcher(one.getFileName().toString()).matches()) {
                        removeIfLeft(one, user);
                    }
                }
            } catch (IOException | DirectoryIteratorException e) {
                // it is in nobody's way
            }
        }
    }

    private static void removeIfLeft(Path directory, UserPrincipal user) {
        Path file = directory.resolve(LOCK);
        try {
            boolean ours = Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
                    && user.equals(Files.getOwner(directory, LinkOption.NOFOLLOW_LINKS));
            if (!ours || !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) || Files.size(file) == 0) {
                return;
            }
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
                    FileLock mine = channel.tryLock()) {
                if (mine != null) {
                    remove(directory);
                }
            }
        } catch (IOException e) {
            // another process was faster, or it may not be removed
        }
    }

    /** Nothing but what such a directory has; with anything else in it, it stays. */
    private static void remove(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path one : all.sorted(Comparator.reverseOrder()).toList()) {
                String name = directory.relativize(one).toString();
                boolean own = one.equals(directory)
                        || one.getParent().equals(directory)
                                && (name.endsWith(SOCKET) || name.endsWith(PEM) || name.equals(LOCK));
                if (own || one.startsWith(directory.resolve(DATA))) {
                    Files.deleteIfExists(one);
                }
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    Path data() throws IOException {
        return Files.createDirectories(path.resolve(DATA));
    }

    Path socket(String name) {
        return path.resolve(name + SOCKET);
    }

    Path pem(String name) {
        return path.resolve(name + PEM);
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            remove(path);
            if (lock != null) {
                lock.close();
            }
        } catch (IOException e) {
            System.err.println("cannot remove " + path + ": " + e.getMessage());
        }
        OWN.remove(path);
    }
}
