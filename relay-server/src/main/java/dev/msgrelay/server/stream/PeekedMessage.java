package dev.msgrelay.server.stream;

import dev.msgrelay.protocol.FrameLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** One message of the log: its body has {@code length} bytes, and begins with {@code first}. */
public record PeekedMessage(long sequence, int type, int length, byte[] first) {
    /**
     * Copies the last messages of a log, the oldest first. Any thread. The copy pins one packet at a time; messages
     * that the log drops meanwhile are left out.
     *
     * @param most limit on the messages
     * @param bytes limit on the bytes of each body
     */
    public static List<PeekedMessage> last(PacketLog log, int most, int bytes) {
        List<PeekedMessage> messages = new ArrayList<>(most);
        LogReader reader = new LogReader(log);
        Mark head = log.head().mark();
        try {
            reader.seek(Math.max(LogReader.EARLIEST, head.sequence() - most), head);
            long sequence = reader.boundary().sequence();
            while (reader.position() < head.position() && reader.pinNext(FrameLayout.HEADER_LENGTH, head)) {
                long end = reader.boundary().position();
                for (long frame = reader.position(); frame < end; frame += reader.frameLength(frame)) {
                    int length = reader.frameLength(frame) - FrameLayout.HEADER_LENGTH;
                    ByteBuffer first = ByteBuffer.allocate(Math.min(length, bytes));
                    reader.copy(frame + FrameLayout.HEADER_LENGTH, first.remaining(), first);
                    messages.add(new PeekedMessage(sequence++, reader.frameType(frame), length, first.array()));
                }
                reader.advance(end - reader.position());
            }
        } finally {
            reader.release();
        }
        return messages;
    }
}
