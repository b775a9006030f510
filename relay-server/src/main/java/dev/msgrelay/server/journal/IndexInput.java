package dev.msgrelay.server.journal;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The slots of an index, one behind the other, piece by piece: an index may be long, and say that it is longer. */
final class IndexInput implements Closeable {
    /** Of the Java heap. */
    static final int BYTES = 1024 * IndexRecord.LENGTH;

    private final Disk.File file;
    private final long seed;
    private final ByteBuffer piece = ByteBuffer.allocate(BYTES);
    private long next = SegmentHeader.LENGTH;
    private long end;
    private int at;

    /** @param seed what its records are sealed with */
    IndexInput(Disk disk, long base, long seed) throws IOException {
        this.file = disk.openToRead(FileNames.index(base));
        this.seed = seed;
        piece.limit(0);
        end = Math.min(SegmentFiles.MOST_INDEX, file.length());
    }

    /** Goes to the next slot; answers whether there is one. */
    boolean next() throws IOException {
        at += IndexRecord.LENGTH;
        if (at + IndexRecord.LENGTH > piece.limit()) {
            piece.clear().limit((int) Math.max(0, Math.min(BYTES, end - next)));
            file.read(next, piece);
            piece.flip();
            next += piece.limit();
            at = 0;
        }
        return IndexRecord.LENGTH <= piece.limit();
    }

    /** What the slot tells of the stream; null: nothing. */
    IndexRecord record() {
        return IndexRecord.read(piece, at, seed);
    }

    /** What it tells of a name; null: nothing. */
    NameRecord name() {
        return NameRecord.read(piece, at, seed);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
