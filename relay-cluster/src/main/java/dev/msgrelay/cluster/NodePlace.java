package dev.msgrelay.cluster;

import dev.msgrelay.protocol.text.TextFile;
import dev.msgrelay.server.config.ClusterConfig;
import dev.msgrelay.server.journal.disk.FirstWrite;
import dev.msgrelay.server.journal.disk.OwnFiles;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.IoUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory, the ports and the shared memory of a node. They are checked and locked before Aeron's start, since
 * Aeron would report errors later, and less clearly.
 *
 * <pre>
 *   directory/node-1/lock       number of the process that has locked the directory
 *                    node       the node that the directory belongs to
 *                    archive/   the cluster's log, snapshots
 *                    cluster/   Aeron's list of these
 *   shared/relay-orders-1/driver, marks
 * </pre>
 */
final class NodePlace implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private static final String LOCK = "lock";
    private static final String IDENTITY = "node";
    private static final int LOCK_TEXT = 200;
    private static final int IDENTITY_BYTES = 4096;

    /** Time for the end of an earlier process of the node, which has hung with the disk. */
    private static final long ENDS_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Free bytes below which the shared memory counts as full: a few pages of any size. */
    private static final long LEAST_SHARED = 1 << 20;

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final ClusterFile file;
    private final int node;
    private final Path directory;
    private final Path shared;
    private FileChannel lock;

    private NodePlace(ClusterFile file, int node) {
        this.file = file;
        this.node = node;
        this.directory = file.directoryOf(node);
        this.shared = file.sharedOf(node);
    }

    /**
     * Locks a node's place, once its disk answers.
     *
     * @param conf the cluster's file
     * @throws IOException the place cannot be locked, and nothing stays locked; the message names the cause
     */
    static NodePlace acquire(Path conf, int node) throws IOException {
        return acquire(read(conf, node), node);
    }

    static NodePlace acquire(ClusterFile file, int node) throws IOException {
        NodePlace place = new NodePlace(file, node);
        boolean hung = FirstWrite.await(place.directory, text -> LOG.warn("{} {}", place.who(), text));
        long deadline = System.nanoTime() + (hung ? ENDS_NANOS : 0);
        while (true) {
            try {
                place.lockAndCheck();
                return place;
            } catch (IOException e) {
                if (System.nanoTime() - deadline >= 0) {
                    throw e;
                }
                LockSupport.parkNanos(LOOK_NANOS);
            }
        }
    }

    private void lockAndCheck() throws IOException {
        try {
            takeDirectory();
            checkAddress();
            checkShared();
        } catch (Throwable e) {
            unlock();
            throw e;
        }
    }

    /**
     * Reads the file for one of its nodes.
     *
     * @throws IOException the message names the mistake, with file and line
     */
    static ClusterFile read(Path conf, int node) throws IOException {
        ClusterFile file;
        try {
            file = ClusterFile.read(conf);
        } catch (IllegalArgumentException e) {
            throw new IOException("cluster: " + e.getMessage(), e);
        }
        if (!file.members().containsKey(node)) {
            throw new IOException("cluster " + conf + ": node " + node + " is not among the members "
                    + new TreeSet<>(file.members().keySet()));
        }
        return file;
    }

    ClusterFile file() {
        return file;
    }

    int node() {
        return node;
    }

    ClusterFile.Member member() {
        return file.members().get(node);
    }

    /** The node's name, for people. */
    String who() {
        return "node " + node + " of " + file.name();
    }

    Path directory() {
        return directory;
    }

    File archive() {
        return directory.resolve("archive").toFile();
    }

    File consensus() {
        return consensus(file, node);
    }

    static File consensus(ClusterFile file, int node) {
        return file.directoryOf(node).resolve("cluster").toFile();
    }

    String driver() {
        return driver(file, node);
    }

    static String driver(ClusterFile file, int node) {
        return file.sharedOf(node).resolve("driver").toString();
    }

    File marks() {
        return shared.resolve("marks").toFile();
    }

    /** Free bytes of the directory's disk. */
    long free() {
        return directory.toFile().getUsableSpace();
    }

    /** A text about a full file system, which makes access to mapped files fail; empty: none is full. */
    Optional<String> fullMemory() {
        long shares = file.shared().toFile().getUsableSpace();
        if (shares < LEAST_SHARED) {
            return Optional.of("its memory is on " + file.shared() + ", which has " + shares + " bytes free");
        }
        long free = free();
        return free < Upkeep.LEAST_FREE ? Optional.of(Upkeep.full(this, free)) : Optional.empty();
    }

    private void takeDirectory() throws IOException {
        try {
            OwnFiles.makeFolder(directory);
            lock = OwnFiles.open(
                    directory.resolve(LOCK),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE);
            if (!OwnFiles.lock(lock, false, who() + ": " + directory)) {
                ByteBuffer text = ByteBuffer.allocate(LOCK_TEXT);
                lock.read(text, 0);
                throw new IOException(who() + ": " + directory + " is in use by process "
                        + new String(text.array(), 0, text.position(), StandardCharsets.UTF_8).strip());
            }
            lock.truncate(0);
            lock.write(ByteBuffer.wrap((ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.UTF_8)), 0);
            checkIdentity();
            if (file.sync()) {
                OwnFiles.forceFolder(directory, who() + ": " + directory);
            }
        } catch (FileSystemException e) {
            throw new IOException(who() + ": cannot use the directory " + directory + ": " + e, e);
        }
    }

    /** Whether a process has locked the node's directory. */
    static boolean isTaken(ClusterFile file, int node) throws IOException {
        Path lock = file.directoryOf(node).resolve(LOCK);
        if (!Files.exists(lock)) {
            return false;
        }
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE)) {
            return !OwnFiles.lock(channel, false, lock.toString());
        }
    }

    /** Checks that the directory belongs to this node of this cluster. */
    private void checkIdentity() throws IOException {
        Path identity = directory.resolve(IDENTITY);
        if (!Files.exists(identity)) {
            try (FileChannel fresh = OwnFiles.open(identity, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                fresh.write(StandardCharsets.UTF_8.encode(who() + "\n"));
            }
            return;
        }
        if (!Files.isRegularFile(identity)) {
            throw new IOException(who() + ": " + identity + " is no regular file");
        }
        String found = TextFile.read(identity, IDENTITY_BYTES).strip();
        if (!found.equals(who())) {
            throw new IOException(who() + ": " + directory + " belongs to " + found);
        }
    }

    private void checkAddress() throws IOException {
        for (int i = 0; i < ClusterFile.PORTS; i++) {
            InetSocketAddress address = new InetSocketAddress(member().host(), member().port() + i);
            if (address.isUnresolved()) {
                throw new IOException(who() + ": there is no host " + member().host());
            }
            try (DatagramSocket probe = new DatagramSocket(null)) {
                probe.setReuseAddress(false);
                probe.bind(address);
            } catch (SocketException e) {
                throw new IOException(
                        who() + ": UDP port " + address.getPort() + " of "
                                + member().host() + " cannot be had, perhaps because another node " + node
                                + " is running: " + e.getMessage(),
                        e);
            }
        }
    }

    private void checkShared() throws IOException {
        file.checkShared();
        // Files of an earlier process, which was killed: this process has the directory's lock.
        IoUtil.delete(shared.toFile(), true);
        long free = file.shared().toFile().getUsableSpace();
        if (free < ClusterConfig.SHARED_BYTES) {
            throw new IOException(who() + ": " + file.shared() + " has " + free + " bytes free, and a node may need "
                    + ClusterConfig.SHARED_BYTES
                    + ": make it larger (docker run --shm-size), or name another file system"
                    + " by cluster.shared");
        }
        // Before Aeron creates it, readable for everybody.
        OwnFiles.makeFolder(shared);
    }

    private void unlock() {
        try {
            if (lock != null) {
                lock.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        IoUtil.delete(shared.toFile(), true);
        unlock();
    }
}
