package dev.msgrelay.trials;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What a publisher or a subscriber has been told, in a file that outlives its process: entries of 32 bytes, each a kind
 * and three numbers. What was handed to the system is there whenever the process is killed; an entry that was cut is
 * none. Not thread-safe.
 */
final class Notebook implements AutoCloseable {
    enum Kind {
        /**
         * A publisher: all up to number {@code a} is acknowledged at its level; it heard so at {@code b} ({@link
         * System#nanoTime}); {@code a} has the sequence {@code c}, 0: not told.
         */
        ACKNOWLEDGED,
        /**
         * A publisher: what it had acknowledged from {@code a} to {@code b} may be gone; the epoch is {@code c} now.
         */
        GONE,
        /** The stream is another one, or a new one; the epoch is {@code c} now. A subscriber goes on with {@code a}. */
        CHANGED,
        /** The epoch is {@code c} now, and nothing is missing. */
        EPOCH,
        /** A subscriber: message {@code a} came, of publisher {@code b} the number {@code c}. */
        MESSAGE,
        /** A subscriber: the bytes of message {@code a} are none that anybody sent. */
        WRONG,
        /** A subscriber: {@code a} to {@code b} does not come, for reason {@code c}. */
        GAP,
        /** A subscriber: what it had from {@code a} to {@code b} is not in the stream; the epoch is {@code c} now. */
        ROLLED_BACK,
        /** A viewer: what it had is void, and all comes from message {@code a} on; the epoch is {@code c} now. */
        ANEW,
        /** A viewer: of type {@code a} its view has now, of publisher {@code b}, the number {@code c}. */
        VIEWED,
        /** A viewer: a PING came before message {@code a}; its view has {@code b} types; the epoch is {@code c}. */
        PING
    }

    /** Takes what was noted, in that order. */
    @FunctionalInterface
    interface Reader {
        void entry(Kind kind, long a, long b, long c);
    }

    private static final Kind[] KINDS = Kind.values();
    private static final int ENTRY = 4 * Long.BYTES;

    private final FileChannel file;
    private final ByteBuffer entries = ByteBuffer.allocateDirect(2048 * ENTRY);

    private Notebook(FileChannel file) {
        this.file = file;
    }

    /** Goes on behind the last whole entry; a new one where there is none. */
    static Notebook open(Path path) throws IOException {
        FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        file.truncate(file.size() / ENTRY * ENTRY);
        file.position(file.size());
        return new Notebook(file);
    }

    /** Reads all whole entries; none where there is no notebook. */
    static void read(Path path, Reader reader) throws IOException {
        if (!Files.exists(path)) {
            return;
        }
        long count = count(path);
        try (InputStream bytes = Files.newInputStream(path);
                DataInputStream in = new DataInputStream(new BufferedInputStream(bytes, 1 << 16))) {
            for (long i = 0; i < count; i++) {
                reader.entry(KINDS[(int) in.readLong()], in.readLong(), in.readLong(), in.readLong());
            }
        }
    }

    /** Whole entries in it. */
    static long count(Path path) throws IOException {
        return Files.size(path) / ENTRY;
    }

    /** Notes it; it is safe from the end of this process after {@link #flush}. */
    void note(Kind kind, long a, long b, long c) throws IOException {
        if (entries.remaining() < ENTRY) {
            flush();
        }
        entries.putLong(kind.ordinal()).putLong(a).putLong(b).putLong(c);
    }

    void flush() throws IOException {
        entries.flip();
        while (entries.hasRemaining()) {
            file.write(entries);
        }
        entries.clear();
    }

    @Override
    public void close() throws IOException {
        flush();
        file.close();
    }
}
