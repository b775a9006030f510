package dev.msgrelay.server.journal.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The file system as a journal sees it: one directory and its files. Tests have one that crashes, fills up and fails.
 *
 * <p>Nothing is sure to survive the machine but what was forced: bytes and length by {@link File#force}, names by {@link
 * #force}. Threads that use it must not be interrupted: that closes files.
 */
public interface Disk {
    /** An open file. Reads and writes name their place, so any thread may do them. */
    interface File extends Closeable {
        /** Bytes. */
        long length() throws IOException;

        /** Reads until the buffer is full or the file ends. */
        void read(long at, ByteBuffer into) throws IOException;

        /** Writes all that remains in the buffer; with {@link DiskException.Full} a part may have been written. */
        void write(long at, ByteBuffer from) throws IOException;

        /** Cuts the file, or has it end further behind, with zeros in between. */
        void setLength(long length) throws IOException;

        /** Returns when its bytes and its length survive the machine. */
        void force() throws IOException;
    }

    /** Ends the name of a file that is not complete, and of no use after a crash. */
    String FRESH = ".new";

    /** In words, for messages: the directory. */
    String place();

    /** The names of all files, in no order. */
    List<String> names() throws IOException;

    /** Whether there is a file of this name. */
    boolean has(String name);

    /** Opens a file to read and write it; makes it where there is none. */
    File open(String name) throws IOException;

    /** Opens a file that is there. */
    File openToRead(String name) throws IOException;

    /** Returns the bytes of a file that is there. */
    default long length(String name) throws IOException {
        try (File file = openToRead(name)) {
            return file.length();
        }
    }

    /** Gives a file another name, or its own; a file that has it is replaced. Throws {@link DiskException.Full}. */
    void rename(String from, String to) throws IOException;

    void delete(String name) throws IOException;

    /** Has a file with these bytes, which survives the machine when this returns; until then the old one does. */
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

    /** Bytes that still fit. */
    long free() throws IOException;

    /**
     * In words, for messages: the thing that is short where something could not be written, as far as that can be seen now. It may
     * write a small file and remove it, so it is for once a minute.
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
