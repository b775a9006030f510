package dev.msgrelay.server.journal.format;

import dev.msgrelay.protocol.Epochs;
import dev.msgrelay.server.journal.disk.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The lives of a relay's stream, with the position at which each began. A relay begins a life at each start. Messages
 * of earlier lives from that position on are gone, and the new life uses their sequences again. The table is written at
 * the start and at the orderly end of a life, with the position up to which all bytes were forced then. The file is
 * replaced as a whole.
 *
 * <pre>
 *    0  magic "RELAYEPO"    int64
 *    8  version             int32
 *   12  number of epochs    int32
 *   16  forced: position    int64
 *   24  forced: sequence    int64
 *   32  for each: epoch, position, sequence, time in ms since 1970: 4 * int64
 *       CRC32C of all of it int32
 * </pre>
 *
 * @param epochs the lives, the oldest first
 */
public record EpochTable(List<Epoch> epochs, long forcedPosition, long forcedSequence) {
    /** The largest number of lives that are kept although the journal has none of their messages any more. */
    static final int MOST_PAST = 1024;

    private static final long MAGIC = 0x52454C415945504FL;
    private static final int FRONT_LENGTH = Integer.BYTES + 2 * Long.BYTES;
    private static final int EPOCH_LENGTH = 4 * Long.BYTES;
    private static final long MOST_BYTES = 64L << 20;

    /** A life: its random number, and the position, the sequence and the time at which it began. */
    public record Epoch(long epoch, long position, long sequence, long timeMillis) {}

    /** The table of a directory in which nothing was ever written. */
    public static final EpochTable NONE = new EpochTable(List.of(), 0, 1);

    public EpochTable {
        epochs = List.copyOf(epochs);
    }

    public Epoch last() {
        return epochs.get(epochs.size() - 1);
    }

    /**
     * Returns the sequence from which on the messages of a life are gone, and were replaced by those of later lives.
     * Returns {@link Long#MAX_VALUE} for the present life, and 0 for a life that is not in the table.
     */
    public long forkOf(long epoch) {
        // The minimum counts, because in a directory from a backup a later life may begin at an earlier sequence.
        long fork = Long.MAX_VALUE;
        for (int i = epochs.size() - 1; i >= 0; i--) {
            if (epochs.get(i).epoch == epoch) {
                return fork;
            }
            fork = Math.min(fork, epochs.get(i).sequence);
        }
        return 0;
    }

    /**
     * The lives that are sent to clients: the present one, and earlier ones that still have a message. A life without
     * messages is of no use to a client, and a relay that is restarted again and again begins many of them.
     */
    public Epochs newest() {
        List<Epochs.Row> rows = new ArrayList<>();
        long first = Long.MAX_VALUE;
        for (int i = epochs.size() - 1; i >= 0 && rows.size() < Epochs.MOST; i--) {
            Epoch life = epochs.get(i);
            if (life.sequence < first) {
                first = life.sequence;
                rows.add(new Epochs.Row(life.epoch, first));
            }
        }
        return new Epochs(rows);
    }

    /**
     * Returns the life to which the message at a position belongs: the last life that began there or before. A reused
     * file may also contain records of an earlier life for the same position.
     */
    public Optional<Epoch> at(long position) {
        return epochs.stream().filter(life -> life.position <= position).reduce((before, life) -> life);
    }

    /**
     * Returns this table with one more life; all bytes before its start are forced. {@code oldest} is the position of
     * the oldest message. Of the lives that ended before it, the last {@value #MOST_PAST} are kept.
     */
    public EpochTable with(Epoch next, long oldest) {
        return new EpochTable(followedBy(next), next.position, next.sequence).without(oldest);
    }

    private List<Epoch> followedBy(Epoch next) {
        return Stream.concat(epochs.stream(), Stream.of(next)).toList();
    }

    private EpochTable without(long oldest) {
        int past = 0;
        while (past + 1 < epochs.size() && epochs.get(past + 1).position <= oldest) {
            past++;
        }
        List<Epoch> left = epochs.subList(Math.max(0, past - MOST_PAST), epochs.size());
        return new EpochTable(left, forcedPosition, forcedSequence);
    }

    /**
     * Returns this table with the later lives of a cluster's stream. All bytes before {@code position}, which is the
     * journal's end, are forced. {@code oldest} is as in {@link #with}.
     */
    public EpochTable joined(EpochTable cluster, long position, long sequence, long oldest) {
        int later = cluster.epochs.size();
        while (later > 0 && !has(cluster.epochs.get(later - 1).epoch)) {
            later--;
        }
        EpochTable all = this;
        for (Epoch life : cluster.epochs.subList(later, cluster.epochs.size())) {
            all = all.withLater(life);
        }
        return new EpochTable(all.epochs, position, sequence).without(oldest);
    }

    /** Returns this table with a life that began later, and the same forced position. */
    public EpochTable withLater(Epoch life) {
        return has(life.epoch) ? this : new EpochTable(followedBy(life), forcedPosition, forcedSequence);
    }

    public boolean has(long epoch) {
        return forkOf(epoch) != 0;
    }

    /** Reads the table. Returns empty if it is damaged; throws if it cannot be read, or has another version. */
    public static Optional<EpochTable> read(Disk disk) throws IOException {
        return TableFile.read(disk, FileNames.EPOCHS, MAGIC, FRONT_LENGTH, MOST_BYTES, fields -> {
            int count = fields.getInt();
            long forcedPosition = fields.getLong();
            long forcedSequence = fields.getLong();
            List<Epoch> all = new ArrayList<>();
            while (fields.remaining() >= EPOCH_LENGTH) {
                all.add(new Epoch(fields.getLong(), fields.getLong(), fields.getLong(), fields.getLong()));
            }
            return all.size() == count
                    ? Optional.of(new EpochTable(all, forcedPosition, forcedSequence))
                    : Optional.empty();
        });
    }

    public void write(Disk disk) throws IOException {
        ByteBuffer table = TableFile.withFront(MAGIC, FRONT_LENGTH + epochs.size() * EPOCH_LENGTH)
                .putInt(epochs.size())
                .putLong(forcedPosition)
                .putLong(forcedSequence);
        for (Epoch e : epochs) {
            table.putLong(e.epoch).putLong(e.position).putLong(e.sequence).putLong(e.timeMillis);
        }
        TableFile.replace(disk, FileNames.EPOCHS, table);
    }
}
