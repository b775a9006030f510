package dev.msgrelay.server.journal;

import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.disk.DiskException;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * A disk in memory. It knows what was forced, and what was not: a power cut leaves any mixture of old and new sectors
 * of unforced writes, any of the lengths, and the first few of the unforced names. A crash comes at any operation, in
 * the middle of a write as well. It fills up, and fails.
 */
public final class SimDisk implements Disk {
    /** The machine, or the process, has gone: nothing catches it. */
    public static final class Crash extends Error {
        private static final long serialVersionUID = 1L;
    }

    /** What others do while something is being read; answers whether a bit of that comes out wrong. */
    public interface WhileRead {
        boolean run() throws IOException;
    }

    private static final int SECTOR = 512;

    private record Write(long at, byte[] bytes) {}

    private record NameChange(String from, String to, Inode made) {}

    private static final class Inode {
        byte[] now = {};
        byte[] durable = {};
        final List<Write> pending = new ArrayList<>();
        boolean unreadable;
    }

    private final Random random;
    private final Map<String, Inode> names = new TreeMap<>();
    private final Map<String, Inode> durableNames = new HashMap<>();
    private final List<NameChange> pendingNames = new ArrayList<>();
    private boolean locked;
    private boolean crashed;

    // Operations that change something, so far; the one that it crashes at, and the one that fails.
    private long operations;
    private long crashAt = Long.MAX_VALUE;
    private long failAt = Long.MAX_VALUE;
    private boolean failed;
    private boolean full;
    private long capacity = Long.MAX_VALUE;
    private boolean noNewFiles;
    private boolean noHandles;
    private int refusals;
    private int renamesToRefusal;
    private Runnable duringForce = () -> {};
    private Runnable duringWrite = () -> {};
    private Runnable duringRename = () -> {};
    private WhileRead duringRead = () -> false;

    public SimDisk(Random random) {
        this.random = random;
    }

    /** It crashes at one of the next operations: the next one has the number 1. */
    public void crashIn(int operation) {
        crashAt = operations + operation;
    }

    /** One of the next operations fails, and all of its kind from then on seem to succeed. */
    public void failIn(int operation) {
        failAt = operations + operation;
    }

    public boolean hasFailed() {
        return failed;
    }

    private DiskException.Full noRoom() {
        refusals++;
        return new DiskException.Full("journal sim", "no space left", null);
    }

    public int refusals() {
        return refusals;
    }

    public void full(boolean now) {
        full = now;
    }

    /** The bytes of all files that there is said to be room for. More can be written all the same. */
    public void capacity(long bytes) {
        capacity = bytes;
    }

    public long used() {
        return names.values().stream().mapToLong(inode -> inode.now.length).sum();
    }

    /** No file can be made, though bytes fit: a file system without inodes; or again some can. */
    void noNewFiles(boolean now) {
        noNewFiles = now;
    }

    /** The process can open no more files; or again it can. */
    public void noHandles(boolean now) {
        noHandles = now;
    }

    /** For one of the next renames there is no room: the next one has the number 1. */
    public void refuseRename(int which) {
        renamesToRefusal = which;
    }

    public void heal() {
        crashAt = Long.MAX_VALUE;
        failAt = Long.MAX_VALUE;
        full = false;
    }

    public void duringForce(Runnable others) {
        duringForce = others;
    }

    public void duringWrite(Runnable others) {
        duringWrite = others;
    }

    public void duringRead(WhileRead others) {
        duringRead = others;
    }

    void duringRename(Runnable others) {
        duringRename = others;
    }

    long operations() {
        return operations;
    }

    public void killed() {
        locked = false;
        crashed = false;
        failed = false;
        heal();
        duringForce = () -> {};
        duringWrite = () -> {};
        duringRename = () -> {};
        duringRead = () -> false;
    }

    public void powerCut() {
        killed();
        names.clear();
        names.putAll(durableNames);
        int kept = random.nextInt(pendingNames.size() + 1);
        pendingNames.subList(0, kept).forEach(change -> apply(names, change));
        pendingNames.clear();
        durableNames.clear();
        durableNames.putAll(names);
        names.values().forEach(this::tear);
    }

    private void tear(Inode inode) {
        int writes = inode.pending.size();
        int length = random.nextBoolean() ? inode.durable.length : inode.now.length;
        byte[] left = Arrays.copyOf(inode.durable, Math.max(length, inode.durable.length));
        int[] reached = new int[left.length / SECTOR + 1];
        for (int i = 0; i < reached.length; i++) {
            reached[i] = random.nextInt(3) == 0 ? random.nextInt(writes + 1) : random.nextBoolean() ? writes : 0;
        }
        for (int i = 0; i < writes; i++) {
            Write write = inode.pending.get(i);
            for (int k = 0; k < write.bytes.length; k++) {
                int at = (int) write.at + k;
                if (at < left.length && i < reached[at / SECTOR]) {
                    left[at] = write.bytes[k];
                }
            }
        }
        inode.now = Arrays.copyOf(left, length);
        inode.durable = inode.now.clone();
        inode.pending.clear();
    }

    public void flip(String name, int at, int bit) {
        Inode inode = names.get(name);
        inode.now[at] ^= (byte) (1 << bit);
        inode.durable = inode.now.clone();
    }

    /** A file that can be opened, and not read. */
    public void unreadable(String name) {
        names.get(name).unreadable = true;
    }

    public void cut(String name, int length) {
        Inode inode = names.get(name);
        inode.now = Arrays.copyOf(inode.now, length);
        inode.durable = inode.now.clone();
    }

    public byte[] bytes(String name) {
        return names.get(name).now.clone();
    }

    /** The same files, all of them forced, on a disk of its own. */
    public SimDisk copy() {
        SimDisk other = new SimDisk(random);
        names.forEach((name, inode) -> {
            Inode same = new Inode();
            same.now = inode.now.clone();
            same.durable = inode.now.clone();
            other.names.put(name, same);
            other.durableNames.put(name, same);
        });
        return other;
    }

    void remove(String name) {
        names.remove(name);
        durableNames.remove(name);
    }

    private void operation() throws IOException {
        if (crashed) {
            throw new Crash();
        }
        operations++;
        if (operations >= crashAt) {
            crashed = true;
            throw new Crash();
        }
        if (operations == failAt) {
            failed = true;
            throw new IOException("Input/output error");
        }
    }

    private static void apply(Map<String, Inode> names, NameChange change) {
        Inode inode = change.made != null ? change.made : names.remove(change.from);
        if (change.to != null && inode != null) {
            names.put(change.to, inode);
        }
    }

    private void change(NameChange change) {
        pendingNames.add(change);
        apply(names, change);
    }

    @Override
    public String place() {
        return "sim";
    }

    @Override
    public List<String> names() {
        return new ArrayList<>(names.keySet());
    }

    @Override
    public boolean has(String name) {
        return names.containsKey(name);
    }

    @Override
    public boolean opens() {
        return !noHandles;
    }

    @Override
    public File open(String name) throws IOException {
        if (noHandles) {
            throw noRoom();
        }
        if (!names.containsKey(name)) {
            operation();
            if (noNewFiles) {
                throw noRoom();
            }
            change(new NameChange(null, name, new Inode()));
        }
        return new SimFile(names.get(name));
    }

    @Override
    public long length(String name) throws IOException {
        if (!has(name)) {
            throw new FileNotFoundException(name);
        }
        return names.get(name).now.length;
    }

    @Override
    public File openToRead(String name) throws IOException {
        Inode inode = names.get(name);
        if (inode == null) {
            throw new FileNotFoundException(name);
        }
        if (noHandles) {
            throw new IOException("Too many open files");
        }
        return new SimFile(inode);
    }

    @Override
    public void rename(String from, String to) throws IOException {
        operation();
        if (!names.containsKey(from)) {
            throw new FileNotFoundException(from);
        }
        if (--renamesToRefusal == 0) {
            throw noRoom();
        }
        change(new NameChange(from, to, null));
        duringRename.run();
    }

    @Override
    public void delete(String name) throws IOException {
        operation();
        if (!names.containsKey(name)) {
            throw new FileNotFoundException(name);
        }
        change(new NameChange(name, null, null));
    }

    @Override
    public void force() throws IOException {
        operation();
        durableNames.clear();
        durableNames.putAll(names);
        pendingNames.clear();
    }

    @Override
    public long free() {
        return full ? 0 : capacity - used();
    }

    @Override
    public String shortage() {
        return "no space left";
    }

    @Override
    public Closeable lock(boolean toWrite) throws IOException {
        if (locked) {
            throw new IOException("journal sim is in use by somebody else");
        }
        locked = true;
        return () -> locked = false;
    }

    private final class SimFile implements File {
        private final Inode inode;
        private boolean closed;

        SimFile(Inode inode) {
            this.inode = inode;
        }

        private void check() throws IOException {
            if (closed) {
                throw new IOException("closed");
            }
        }

        @Override
        public long length() throws IOException {
            check();
            return inode.now.length;
        }

        @Override
        public void read(long at, ByteBuffer into) throws IOException {
            check();
            if (inode.unreadable) {
                throw new IOException("Input/output error");
            }
            int start = into.position();
            // What is written meanwhile may be there in part.
            copy(at, into, into.remaining() / 2);
            boolean wrong = duringRead.run();
            copy(at + into.position() - start, into, into.remaining());
            if (wrong && into.position() > start) {
                int flipped = start + random.nextInt(into.position() - start);
                into.put(flipped, (byte) (into.get(flipped) ^ 1 << random.nextInt(8)));
            }
        }

        private void copy(long at, ByteBuffer into, int most) {
            int from = (int) Math.min(at, inode.now.length);
            into.put(inode.now, from, Math.min(most, inode.now.length - from));
        }

        @Override
        public void write(long at, ByteBuffer from) throws IOException {
            check();
            if (crashed) {
                throw new Crash();
            }
            byte[] bytes = new byte[from.remaining()];
            from.get(bytes);
            duringWrite.run();
            boolean whole = false;
            try {
                operation();
                whole = !full;
            } finally {
                put(at, whole ? bytes : Arrays.copyOf(bytes, random.nextInt(bytes.length + 1)));
            }
            if (!whole) {
                throw noRoom();
            }
        }

        private void put(long at, byte[] bytes) {
            if (bytes.length == 0) {
                return;
            }
            int end = (int) at + bytes.length;
            if (end > inode.now.length) {
                inode.now = Arrays.copyOf(inode.now, end);
            }
            System.arraycopy(bytes, 0, inode.now, (int) at, bytes.length);
            inode.pending.add(new Write(at, bytes));
        }

        @Override
        public void setLength(long length) throws IOException {
            check();
            operation();
            if (full && length > inode.now.length) {
                throw noRoom();
            }
            inode.now = Arrays.copyOf(inode.now, (int) length);
            // What was cut off is gone, and zeros are there should the file grow again.
            inode.pending.removeIf(w -> w.at >= length);
            inode.pending.replaceAll(w -> w.at + w.bytes.length <= length
                    ? w
                    : new Write(w.at, Arrays.copyOf(w.bytes, (int) (length - w.at))));
        }

        @Override
        public void force() throws IOException {
            check();
            int begun = inode.pending.size();
            int length = inode.now.length;
            duringForce.run();
            try {
                operation();
            } catch (IOException e) {
                // As Linux does it: what could not be written counts as clean from now on.
                inode.pending.clear();
                throw e;
            }
            byte[] now = inode.durable.length == length ? inode.durable : Arrays.copyOf(inode.durable, length);
            for (Write write : inode.pending.subList(0, begun)) {
                System.arraycopy(write.bytes, 0, now, (int) write.at, write.bytes.length);
            }
            inode.pending.subList(0, begun).clear();
            inode.durable = now;
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
