package dev.msgrelay.server.journal.format;

import dev.msgrelay.server.journal.disk.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The table of names: for each name, its last message before a segment. Later messages are in the indexes from that
 * segment on, so older segments may be dropped. The file is replaced as a whole. Big-endian.
 *
 * <pre>
 *    0  magic "RELAYNAM"    int64
 *    8  version             int32
 *   12  number of names     int32
 *   16  position            int64
 *   24  for each: number, sequence (2 * int64), length of its name as bytes (int32), the name as in an index
 *       CRC32C of all of it int32
 * </pre>
 *
 * @param position start position of the segment; all bytes before the segment were forced
 * @param names the names and their last messages, in no particular order
 */
public record NamesFile(long position, List<JournalName.State> names) {
    public static final NamesFile NONE = new NamesFile(0, List.of());

    private static final long MAGIC = 0x52454C41594E414DL;
    private static final int FRONT_LENGTH = Integer.BYTES + Long.BYTES;
    private static final int STATE_LENGTH = 2 * Long.BYTES + Integer.BYTES;
    private static final long MOST_BYTES = 128L << 20;

    /** Reads the table. Returns empty if it is damaged; throws if it cannot be read, or has another version. */
    public static Optional<NamesFile> read(Disk disk) throws IOException {
        return TableFile.read(disk, FileNames.NAMES, MAGIC, FRONT_LENGTH, MOST_BYTES, fields -> {
            int count = fields.getInt();
            long position = fields.getLong();
            return states(fields, count).map(names -> new NamesFile(position, names));
        });
    }

    /** Reads {@code count} states. Returns empty if there are more or fewer, or if one is damaged. */
    private static Optional<List<JournalName.State>> states(TableFile fields, int count) throws IOException {
        List<JournalName.State> names = new ArrayList<>();
        for (int i = 0; i < count && fields.remaining() >= STATE_LENGTH; i++) {
            long number = fields.getLong();
            long sequence = fields.getLong();
            int length = fields.getInt();
            if (length < 0 || length > Math.min(NameRecord.MOST_TOTAL, fields.remaining())) {
                return Optional.empty();
            }
            NameRecord.decode(fields.bytes(length))
                    .ifPresent(name -> names.add(new JournalName.State(name, number, sequence)));
        }
        return names.size() == count && fields.remaining() == 0 ? Optional.of(names) : Optional.empty();
    }

    public void write(Disk disk) throws IOException {
        List<byte[]> texts =
                names.stream().map(s -> NameRecord.encode(s.name())).toList();
        int length = texts.stream().mapToInt(t -> t.length).sum();
        ByteBuffer table = TableFile.withFront(MAGIC, FRONT_LENGTH + names.size() * STATE_LENGTH + length)
                .putInt(names.size())
                .putLong(position);
        for (int i = 0; i < names.size(); i++) {
            JournalName.State state = names.get(i);
            byte[] text = texts.get(i);
            table.putLong(state.number())
                    .putLong(state.sequence())
                    .putInt(text.length)
                    .put(text);
        }
        TableFile.replace(disk, FileNames.NAMES, table);
    }
}
