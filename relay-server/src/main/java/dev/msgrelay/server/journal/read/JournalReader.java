package dev.msgrelay.server.journal.read;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.format.FileNames;
import dev.msgrelay.server.journal.format.IndexCursor;
import dev.msgrelay.server.journal.format.IndexRecord;
import dev.msgrelay.server.journal.format.IndexRecord.Kind;
import dev.msgrelay.server.journal.format.Loss;
import dev.msgrelay.server.journal.format.SegmentHeader;
import dev.msgrelay.server.journal.recover.Recovery;
import dev.msgrelay.server.journal.recover.Recovery.Part;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;

/** Reads the messages of a directory, one behind the other, and says where some are missing. No byte is handed on unchecked. */
public final class JournalReader {
    /** Gets what is read. */
    public interface Sink {
        /** A message, its body between position and limit until this returns; returns whether more is wanted. */
        boolean message(long sequence, int type, ByteBuffer body) throws IOException;

        /** Messages that are missing. */
        void lost(Loss loss) throws IOException;
    }

    /** Longer than any block: the longest frame, and as much as goes with it. */
    private static final long MOST_BLOCK =
            2L * IndexRecord.MOST_BLOCK + FrameLayout.frameLength(FrameLayout.MAX_MAX_BODY);

    private final Disk disk;
    private final Recovery found;
    private final long first;
    private final Sink sink;
    // The place and number of the next message.
    private long position;
    private long sequence;
    private ByteBuffer bytes = ByteBuffer.allocate(1 << 20);

    private JournalReader(Disk disk, Recovery found, long first, Sink sink) {
        this.disk = disk;
        this.found = found;
        this.first = first;
        this.sink = sink;
    }

    /** Reads from message {@code first} on, or from the oldest one, to the end. */
    public static void read(Disk disk, Recovery found, long first, Sink sink) throws IOException {
        new JournalReader(disk, found, first, sink).run();
    }

    private void run() throws IOException {
        position = found.startPosition();
        sequence = found.startSequence();
        for (Part part : found.parts()) {
            if (part.endSequence() > first && !part(part)) {
                return;
            }
            missing(
                    part.endPosition(),
                    part.endSequence(),
                    FileNames.index(part.header().base()));
        }
    }

    /** Reads one segment. Returns whether more is wanted. */
    private boolean part(Part part) throws IOException {
        SegmentHeader header = part.header();
        if (header.sequence() > sequence) {
            goTo(header.base(), header.sequence());
        }
        try (Disk.File stream = disk.openToRead(FileNames.stream(header.base()));
                IndexCursor index = new IndexCursor(disk, header.base(), header.seed())) {
            while (index.next()) {
                IndexRecord record = index.record();
                boolean ours = record != null
                        && record.kind() == Kind.BLOCK
                        && record.sequence() >= sequence
                        && record.endPosition() <= part.endPosition()
                        && record.endPosition() - header.base() <= stream.length();
                if (!ours || record.endSequence() <= first) {
                    if (ours) {
                        goTo(record.endPosition(), record.endSequence());
                    }
                    continue;
                }
                missing(record.position(), record.sequence(), FileNames.index(header.base()));
                if (!isWhole(record, header.base(), stream)) {
                    missing(record.endPosition(), record.endSequence(), FileNames.stream(header.base()));
                } else if (!frames(record)) {
                    return false;
                }
            }
        } catch (FileNotFoundException | NoSuchFileException e) {
            // A relay that runs has dropped it: that it is missing is told.
        }
        return true;
    }

    /** The next message that was found is not the next one that was wanted. */
    private void missing(long to, long next, String file) throws IOException {
        if (next > sequence && next > first) {
            sink.lost(new Loss(position, sequence, to, next, file + ": not whole"));
        }
        if (next > sequence) {
            goTo(to, next);
        }
    }

    private void goTo(long at, long next) {
        position = at;
        sequence = next;
    }

    /** Whether the bytes of a block are those that were written; then all of them lie in the buffer. */
    private boolean isWhole(IndexRecord block, long base, Disk.File stream) throws IOException {
        if (block.bytes() > MOST_BLOCK) {
            return false;
        }
        if (bytes.capacity() < block.bytes()) {
            bytes = ByteBuffer.allocate((int) block.bytes());
        }
        return block.fault(stream, base, bytes) == null;
    }

    private boolean frames(IndexRecord block) throws IOException {
        int at = 0;
        while (sequence < block.endSequence()) {
            int body = at + FrameLayout.HEADER_LENGTH;
            int length = FrameLayout.bodyLength(bytes, at);
            boolean more =
                    sequence < first || sink.message(sequence, FrameLayout.type(bytes, at), bytes.slice(body, length));
            sequence++;
            at = body + length;
            if (!more) {
                return false;
            }
        }
        position = block.endPosition();
        return true;
    }
}
