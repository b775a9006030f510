package dev.msgrelay.server.assembly;

import io.netty.channel.ServerChannel;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The file of a Unix socket. A file that a crashed process has left is removed, but not the file of a running process.
 *
 * @param key the system's number of the file, unique while the socket is open
 */
record UnixSocketFile(Path path, ServerChannel listener, Object key) {
    UnixSocketFile(Path path, ServerChannel listener) throws IOException {
        this(path, listener, key(path));
    }

    /** Checks that the path is free, or a socket. The folder may be missing, as a service manager may make it later. */
    static void check(Path path) throws IOException {
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            Object mode = Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
            boolean socket = ((Integer) mode & 0170000) == 0140000;
            if (!socket) {
                throw new IOException("cannot listen on unix:" + path + ": the file exists and is not a socket");
            }
        }
    }

    static void prepare(Path path) throws IOException {
        Path folder = path.toAbsolutePath().getParent();
        if (!Files.isDirectory(folder)) {
            throw new IOException("cannot listen on unix:" + path + ": no such folder: " + folder);
        }
        if (!Files.isWritable(folder)) {
            throw new IOException("cannot listen on unix:" + path + ": the folder is not writable: " + folder);
        }
        check(path);
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            probe.connect(UnixDomainSocketAddress.of(path));
        } catch (ConnectException nobodyListens) {
            Files.delete(path);
            return;
        } catch (IOException other) {
            // After any other error, such as a lack of permission, the socket may be in use.
            throw new IOException("cannot listen on unix:" + path + ": it exists, and " + other.getMessage(), other);
        }
        throw new IOException("cannot listen on unix:" + path + ": the address is in use");
    }

    /** The group with a name or number. */
    static GroupPrincipal group(Path path, String group) throws IOException {
        try {
            return path.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByGroupName(group);
        } catch (UserPrincipalNotFoundException e) {
            throw new IOException("cannot listen on unix:" + path + ": there is no group " + group, e);
        }
    }

    /** Sets the file's group and permissions, if they are given. Both decide who may connect. */
    void permit(Optional<Set<PosixFilePermission>> permissions, String group) throws IOException {
        try {
            if (group != null) {
                Files.getFileAttributeView(path, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                        .setGroup(group(path, group));
            }
            // Permissions are set after the group: otherwise the file's former group would have them for a moment.
            if (permissions.isPresent()) {
                Files.setPosixFilePermissions(path, permissions.get());
            }
        } catch (FileSystemException e) {
            throw new IOException(
                    "cannot listen on unix:" + path + ": the socket's group cannot be " + group + " (" + e.getReason()
                            + "): the user of the relay must be in it",
                    e);
        }
    }

    /** Whether there is a file of any kind at the path. */
    static boolean isAnyAt(Path path) throws IOException {
        try {
            key(path);
            return true;
        } catch (NoSuchFileException gone) {
            return false;
        }
    }

    /** Whether the file at the path is still this one. */
    boolean isThere() throws IOException {
        return Objects.equals(key, key(path));
    }

    /** Stops listening, and removes the file, unless another relay has replaced it. */
    void close() throws IOException {
        Path kept = null;
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && !Objects.equals(key, key(path))) {
            // Netty's close removes any file of this name, so the file of another relay gets a second name meanwhile.
            kept = path.resolveSibling(path.getFileName() + ".kept");
            Files.createLink(kept, path);
        }
        listener.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
        if (kept == null) {
            Files.deleteIfExists(path);
        } else if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            Files.delete(kept);
        } else {
            Files.move(kept, path);
        }
    }

    private static Object key(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
    }
}
