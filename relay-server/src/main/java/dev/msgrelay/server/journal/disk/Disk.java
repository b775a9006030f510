package dev.msgrelay.server.journal.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The file system that a journal needs: one directory and its files. Tests have a disk that crashes, fills up and
 * fails.
 *
 * <p>A change is sure to survive a crash of the machine only after a force: {@link File#force} for bytes and length,
 * {@link #force} for names. Threads that use a disk must not be interrupted, because an interrupt closes files.
 */
public interface Disk {
    /** An open file. Any thread may read and write, because there is no current offset. */
    interface File extends Closeable {
        long length() throws IOException;

        /** Reads until the buffer is full or the file ends. */
        void read(long at, ByteBuffer into) throws IOException;

        /** Writes the buffer's remaining bytes. Before {@link DiskException.Full} a part may have been written. */
        void write(long at, ByteBuffer from) throws IOException;

        /** Shortens the file, or appends zeros. */
        void setLength(long length) throws IOException;

        /** Returns once the file's bytes and length survive a crash of the machine. */
        void force() throws IOException;
    }

    /** The end of a temporary file's name. The file is of no use after a crash. */
    String FRESH = ".new";

    /** The directory's name, for messages. */
    String place();

    List<String> names() throws IOException;

    boolean has(String name);

    /** Opens a file to read and write it; makes the file if there is none. */
    File open(String name) throws IOException;

    File openToRead(String name) throws IOException;

    default long length(String name) throws IOException {
        try (File file = openToRead(name)) {
            return file.length();
        }
    }

    /** Renames a file, also over an existing one. Throws {@link DiskException.Full} if there is no room. */
    void rename(String from, String to) throws IOException;

    void delete(String name) throws IOException;

    /** Replaces a file. A crash of the machine leaves the old or the new content; after the return, the new. */
    default void replace(String name, ByteBuffer bytes) throws IOException {
        String fresh = name + FRESH;
        try (File file = open(fresh)) {
            file.setLength(0);
            file.write(0, bytes);
            file.force();
        }
        rename(fresh, name);
        force();
    }

    /** Returns once the names of the files survive a crash of the machine. */
    void force() throws IOException;

    long free() throws IOException;

    /** Whether the process can open one more file at present. */
    boolean opens();

    /** The likely reason why a write found no room. To be called rarely, because it writes and removes a small file. */
    String shortage();

    /**
     * Locks the directory: exclusively to write, shared to read. Throws if another process holds the lock; the message
     * names that process.
     */
    Closeable lock(boolean toWrite) throws IOException;
}
