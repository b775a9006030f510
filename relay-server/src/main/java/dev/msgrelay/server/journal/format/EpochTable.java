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
 * The lives of a relay: where in the stream each of them began. Messages of earlier lives behind that place are gone,
 * and later messages have their numbers. The table is written at the start of a life and at its quiet end, with the
 * position up to which all was forced then. It is replaced as a whole, so after a crash the file is the old one or the
 * new one.
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
 * @param epochs from the first to the last
 * @param forcedPosition everything before it was forced when the table was written
 * @param forcedSequence number of the message there
 */
public record EpochTable(List<Epoch> epochs, long forcedPosition, long forcedSequence) {
    /** Remembered epochs of which the journal has no message any more, at most. */
    static final int MOST_PAST = 1024;

    private static final long MAGIC = 0x52454C415945504FL;
    private static final int FRONT_LENGTH = Integer.BYTES + 2 * Long.BYTES;
    private static final int EPOCH_LENGTH = 4 * Long.BYTES;

    /** Larger than any table that was ever written: a longer one is damaged. */
    private static final long MOST_BYTES = 64L << 20;

    /**
     * One life.
     *
     * @param epoch random
     * @param position where it began
     * @param sequence number of the first message that it could give
     * @param timeMillis when it began
     */
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
     * The number of a life's first message that is gone, and that a later message has: all messages before it are the
     * same. {@link Long#MAX_VALUE}: the life is the present one; 0: the table has no such life.
     */
    public long forkOf(long epoch) {
        // A directory that was put back may know of later lives than it has messages of.
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
     * The lives that clients are told: the present one, and those before of which a message is left. Other lives say
     * nothing about what two streams have in common, and a relay that is started again and again makes many of them.
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
     * The life whose messages lie at a position: the last one that began there or before. Messages of earlier lives
     * from there on were cut, and may still lie in a file that is used again for the same place.
     */
    public Optional<Epoch> at(long position) {
        return epochs.stream().filter(life -> life.position <= position).reduce((before, life) -> life);
    }

    /**
     * This table with one more life: everything before its start is forced.
     *
     * @param oldest position of the oldest message: of lives that ended before it, the last {@value #MOST_PAST} stay
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
     * This table with the later lives of a cluster's stream; everything before the journal's end is forced.
     *
     * @param position the journal's end
     * @param sequence number of the next message
     * @param oldest as in {@link #with}
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

    /** This table with a life that has begun meanwhile; the forced position stays as it is. */
    public EpochTable withLater(Epoch life) {
        return has(life.epoch) ? this : new EpochTable(followedBy(life), forcedPosition, forcedSequence);
    }

    public boolean has(long epoch) {
        return forkOf(epoch) != 0;
    }

    /** Reads the table; empty where it is damaged. Throws where it cannot be read, or is of another version. */
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

    /** Replaces the table on the disk; it survives the machine when this returns. */
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
