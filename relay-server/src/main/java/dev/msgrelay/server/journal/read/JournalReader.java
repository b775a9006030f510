package dev.msgrelay.server.journal.read;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.format.FileNames;
import dev.msgrelay.server.journal.format.FrameWalk;
import dev.msgrelay.server.journal.format.IndexRecord;
import dev.msgrelay.server.journal.format.Loss;
import dev.msgrelay.server.journal.format.SegmentHeader;
import dev.msgrelay.server.journal.read.JournalFeed.Found;
import dev.msgrelay.server.journal.recover.Recovery;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.StreamHead;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Reads the messages of a directory, one behind the other, and says where some are missing. No byte is handed on
 * unchecked.
 */
public final class JournalReader {
    public interface Sink {
        /** A message, its body between position and limit until this returns; returns whether more is wanted. */
        boolean message(long sequence, int type, ByteBuffer body) throws IOException;

        void lost(Loss loss) throws IOException;
    }

    /** Longer than any block: the longest frame, and as much as goes with it. */
    private static final long MOST_BLOCK =
            2L * IndexRecord.MOST_BLOCK + FrameLayout.frameLength(FrameLayout.MAX_MAX_BODY);

    private JournalReader() {}

    /** Reads from message {@code first} on, or from the oldest one, to the end. */
    public static void read(Disk disk, Recovery found, long first, Sink sink) throws IOException {
        NavigableMap<Long, SegmentHeader> held = new TreeMap<>();
        found.filled().forEach(part -> held.put(part.header().base(), part.header()));
        Mark goal = Mark.of(found.endPosition(), found.endSequence());
        StreamHead written = new StreamHead();
        written.set(goal.position(), goal.sequence());
        ByteBuffer records = ByteBuffer.allocate(JournalFeed.RECORD_BYTES);
        JournalFeed feed = new JournalFeed(disk, held, written, () -> null, records);
        feed.seek(first);
        ByteBuffer bytes = ByteBuffer.allocate(JournalFeed.PAGE_BYTES);
        for (Found next = feed.next(bytes); next != Found.ALL_READ; next = feed.next(bytes)) {
            if (next == Found.LONGER && feed.needed() <= MOST_BLOCK) {
                bytes = ByteBuffer.allocate((int) feed.needed());
                continue;
            }
            boolean whole = next == Found.BLOCKS && isWhole(feed, bytes);
            if (whole && !messages(feed, bytes, first, sink)) {
                return;
            } else if (!whole && feed.end().sequence() > first) {
                sink.lost(lost(feed.at(), feed.end().position() > goal.position() ? goal : feed.end(), held));
            }
            feed.pass();
        }
        if (feed.at().position() < goal.position()) {
            sink.lost(lost(feed.at(), goal, held));
        }
    }

    /** A sum that is right says nothing of what a writer of another kind made. */
    private static boolean isWhole(JournalFeed feed, ByteBuffer bytes) {
        FrameWalk frames = new FrameWalk();
        frames.walk(bytes.slice(0, (int) (feed.end().position() - feed.at().position())));
        return frames.found(feed.end().sequence() - feed.at().sequence());
    }

    private static boolean messages(JournalFeed feed, ByteBuffer bytes, long first, Sink sink) throws IOException {
        int at = 0;
        for (long sequence = feed.at().sequence(); sequence < feed.end().sequence(); sequence++) {
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
