package dev.msgrelay.server;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** The file of a Unix socket: one that a crashed process left behind is removed, one that somebody answers on is not. */
final class UnixSocketFile {
    private UnixSocketFile() {}

    static void prepare(Path path) throws IOException {
        Path folder = path.toAbsolutePath().getParent();
        if (!Files.isDirectory(folder)) {
            throw new IOException("cannot listen on unix:" + path + ": no such folder: " + folder);
        }
        if (!Files.isWritable(folder)) {
            throw new IOException("cannot listen on unix:" + path + ": the folder is not writable: " + folder);
        }
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Object mode = Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
        boolean socket = ((Integer) mode & 0170000) == 0140000;
        if (!socket) {
            throw new IOException("cannot listen on unix:" + path + ": the file exists and is not a socket");
        }
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            probe.connect(UnixDomainSocketAddress.of(path));
        } catch (ConnectException nobodyListens) {
            Files.delete(path);
            return;
        } catch (IOException other) {
            // Not allowed to connect, for one: it may be somebody's.
            throw new IOException("cannot listen on unix:" + path + ": it exists, and " + other.getMessage(), other);
        }
        throw new IOException("cannot listen on unix:" + path + ": the address is in use");
    }
}
