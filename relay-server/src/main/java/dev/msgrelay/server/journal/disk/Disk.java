package dev.msgrelay.server.journal.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The file system as a journal sees it: one directory and its files. Tests have a disk that crashes, fills up and
 * fails.
 *
 * <p>Only a force makes sure that something survives the machine: {@link File#force} bytes and length, {@link #force}
 * names. Threads that use a disk must not be interrupted: an interrupt closes files.
 */
public interface Disk {
    /** An open file. Reads and writes name their place, so any thread may do them. */
    interface File extends Closeable {
        long length() throws IOException;

        /** Reads until the buffer is full or the file ends. */
        void read(long at, ByteBuffer into) throws IOException;

        /** Writes all that remains in the buffer; with {@link DiskException.Full} a part may have been written. */
        void write(long at, ByteBuffer from) throws IOException;

        /** Cuts the file, or appends zeros. */
        void setLength(long length) throws IOException;

        /** Returns when its bytes and its length survive the machine. */
        void force() throws IOException;
    }

    /** Ends the name of a file that is of no use after a crash. */
    String FRESH = ".new";

    /** The directory, for messages. */
    String place();

    /** The names of all files, in no order. */
    List<String> names() throws IOException;

    boolean has(String name);

    /** Opens a file to read and write it; makes it where there is none. */
    File open(String name) throws IOException;

    File openToRead(String name) throws IOException;

    default long length(String name) throws IOException {
        try (File file = openToRead(name)) {
            return file.length();
        }
    }

    /** Gives a file another name, or its own; a file of that name is replaced. Throws {@link DiskException.Full}. */
    void rename(String from, String to) throws IOException;

    void delete(String name) throws IOException;

    /** Replaces a file: the new one survives the machine when this returns, until then the old one does. */
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

    /** Returns when the names of the files survive the machine. */
    void force() throws IOException;

    /** Free bytes. */
    long free() throws IOException;

    /**
     * The reason why a write found no room, as far as the disk shows it now, for messages. It may write a small file
     * and remove it, so it is for once a minute.
     */
    String shortage();

    /**
     * Locks the directory until the lock is closed.
     *
     * @param toWrite an exclusive lock; otherwise a shared one, of which there may be several
     * @throws IOException another process holds the lock; the message names it
     */
    Closeable lock(boolean toWrite) throws IOException;
}
