package dev.msgrelay.server.journal.read;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.format.FileNames;
import dev.msgrelay.server.journal.format.FrameWalk;
import dev.msgrelay.server.journal.format.IndexRecord;
import dev.msgrelay.server.journal.format.IndexRecord.Loss;
import dev.msgrelay.server.journal.format.SegmentHeader;
import dev.msgrelay.server.journal.read.BlockReader.Found;
import dev.msgrelay.server.journal.recover.Recovery;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.StreamHead;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Reads all messages of a directory in order, and reports missing ones. All bytes are checked before they are used. */
public final class JournalReader {
    public interface Sink {
        /** @return whether the sink wants more messages; after the return {@code body} may change */
        boolean message(long sequence, int type, ByteBuffer body) throws IOException;

        void lost(Loss loss) throws IOException;
    }

    private static final long MOST_BLOCK =
            2L * IndexRecord.MOST_BLOCK + FrameLayout.frameLength(FrameLayout.MAX_MAX_BODY);

    private JournalReader() {}

    /** Reads from message {@code first} on, or from the oldest one if that is later, to the end. */
    public static void read(Disk disk, Recovery found, long first, Sink sink) throws IOException {
        NavigableMap<Long, SegmentHeader> held = new TreeMap<>();
        found.filled().forEach(part -> held.put(part.header().base(), part.header()));
        Mark goal = Mark.of(found.endPosition(), found.endSequence());
        StreamHead written = new StreamHead();
        written.set(goal.position(), goal.sequence());
        ByteBuffer records = ByteBuffer.allocate(BlockReader.RECORD_BYTES);
        BlockReader blocks = new BlockReader(disk, held, written, () -> null, records);
        blocks.seek(first);
        ByteBuffer bytes = ByteBuffer.allocate(BlockReader.PAGE_BYTES);
        for (Found next = blocks.next(bytes); next != Found.ALL_READ; next = blocks.next(bytes)) {
            if (next == Found.LONGER && blocks.needed() <= MOST_BLOCK) {
                bytes = ByteBuffer.allocate((int) blocks.needed());
                continue;
            }
            boolean whole = next == Found.BLOCKS && isWhole(blocks, bytes);
            if (whole && !messages(blocks, bytes, first, sink)) {
                return;
            } else if (!whole && blocks.foundEnd().sequence() > first) {
                sink.lost(lost(
                        blocks.at(), blocks.foundEnd().position() > goal.position() ? goal : blocks.foundEnd(), held));
            }
            blocks.pass();
        }
        if (blocks.at().position() < goal.position()) {
            sink.lost(lost(blocks.at(), goal, held));
        }
    }

    /** Whether blocks with a right CRC are whole messages. (A faulty writer may have sealed wrong bytes.) */
    private static boolean isWhole(BlockReader blocks, ByteBuffer bytes) {
        FrameWalk frames = new FrameWalk();
        frames.walk(
                bytes.slice(0, (int) (blocks.foundEnd().position() - blocks.at().position())));
        return frames.found(blocks.foundEnd().sequence() - blocks.at().sequence());
    }

    private static boolean messages(BlockReader blocks, ByteBuffer bytes, long first, Sink sink) throws IOException {
        int at = 0;
        for (long sequence = blocks.at().sequence();
                sequence < blocks.foundEnd().sequence();
                sequence++) {
            int body = at + FrameLayout.HEADER_LENGTH;
            int length = FrameLayout.bodyLength(bytes, at);
            if (sequence >= first && !sink.message(sequence, FrameLayout.type(bytes, at), bytes.slice(body, length))) {
                return false;
            }
            at = body + length;
        }
        return true;
    }

    private static Loss lost(Mark from, Mark to, NavigableMap<Long, SegmentHeader> held) {
        String file = FileNames.stream(held.floorKey(from.position()));
        return new Loss(
                from.position(), from.sequence(), to.position(), to.sequence(), file + " or its index is not whole");
    }
}
