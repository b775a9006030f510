package dev.msgrelay.server.journal.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Files that hold the stream, and their folders. Only the owner may write them, and only the owner and the group may
 * read them, even if the process's umask allows more. The relay's access policy does not protect files.
 */
public final class OwnFiles {
    private static final Set<PosixFilePermission> FOLDER = PosixFilePermissions.fromString("rwxr-x---");
    private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-r-----");
    private static final Set<PosixFilePermission> PRIVATE_FILE = PosixFilePermissions.fromString("rw-------");

    private OwnFiles() {}

    /** Makes a folder and its parents, unless they exist. */
    public static void makeFolder(Path folder) throws IOException {
        Files.createDirectories(folder, made(folder, FOLDER));
    }

    public static FileChannel open(Path file, OpenOption... options) throws IOException {
        return FileChannel.open(file, Set.of(options), made(file, FILE));
    }

    /** Opens a file like {@link #open}, but only the owner may read a new file. */
    public static FileChannel openPrivate(Path file, OpenOption... options) throws IOException {
        return FileChannel.open(file, Set.of(options), made(file, PRIVATE_FILE));
    }

    private static FileAttribute<?>[] made(Path path, Set<PosixFilePermission> permissions) {
        return isPosix(path)
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)}
                : new FileAttribute<?>[0];
    }

    private static boolean isPosix(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    /** Returns a warning if other users may read the folder or a file in it; otherwise empty. */
    public static Optional<String> wide(Path folder) throws IOException {
        if (!isPosix(folder)) {
            return Optional.empty();
        }
        boolean folderIsWide = isWide(folder, FOLDER);
        long files;
        try (Stream<Path> all = Files.list(folder)) {
            files = all.filter(file -> Files.isRegularFile(file) && isWide(file, FILE))
                    .count();
        }
        // Other users cannot read files in a folder that they may not enter.
        boolean shut =
                !folderIsWide && !Files.getPosixFilePermissions(folder).contains(PosixFilePermission.OTHERS_EXECUTE);
        return shut
                ? Optional.empty()
                : Optional.of(folder + " and " + files
                        + " of its files are open to more users of this host than their owner and group,"
                        + " who can read the stream there whatever access says: chmod -R g-w,o= " + folder);
    }

    private static boolean isWide(Path path, Set<PosixFilePermission> most) {
        try {
            Set<PosixFilePermission> more = new HashSet<>(Files.getPosixFilePermissions(path));
            more.removeAll(most);
            return !more.isEmpty();
        } catch (IOException gone) {
            return false;
        }
    }

    /**
     * Locks a file until it is closed. Returns false if the lock is held already. {@code what} begins the message of a
     * fault.
     */
    public static boolean lock(FileChannel file, boolean shared, String what) throws IOException {
        try {
            return file.tryLock(0, Long.MAX_VALUE, shared) != null;
        } catch (OverlappingFileLockException e) {
            return false;
        } catch (IOException e) {
            throw new DiskException(
                    what + " cannot be locked (" + e.getMessage()
                            + "), and two processes might write to it: place it on a"
                            + " local disk, or have the locks of NFS work (rpc.statd and lockd run, or NFS 4)",
                    e);
        }
    }

    /** Forces the names of a folder's files; {@code what} begins the message of a fault. */
    public static void forceFolder(Path folder, String what) throws IOException {
        try (FileChannel names = openFolder(folder, what)) {
            forceFolder(names, what);
        }
    }

    /** Opens a folder to force the names of its files; {@code what} begins the message of a fault. */
    public static FileChannel openFolder(Path folder, String what) throws IOException {
        try {
            // Works on Linux, where a directory can be opened like a file.
            return FileChannel.open(folder, StandardOpenOption.READ);
        } catch (AccessDeniedException e) {
            // The folder's permissions are the reason, not the file system.
            throw e;
        } catch (IOException e) {
            throw cannotForce(what, e);
        }
    }

    public static void forceFolder(FileChannel folder, String what) throws IOException {
        try {
            folder.force(true);
        } catch (IOException e) {
            throw cannotForce(what, e);
        }
    }

    private static DiskException cannotForce(String what, IOException e) {
        return new DiskException(
                what + ": the names of its files cannot be forced to the disk (fsync of the folder: "
                        + e.getMessage()
                        + "). A power cut might lose whole files, with messages that were told as forced: place it"
                        + " on a file system that can, such as ext4 or xfs on a local disk; some of FUSE, 9p,"
                        + " virtiofs and SMB cannot",
                e);
    }
}
