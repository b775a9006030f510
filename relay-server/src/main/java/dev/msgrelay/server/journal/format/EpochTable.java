package dev.msgrelay.server.journal.format;

import dev.msgrelay.protocol.Epochs;
import dev.msgrelay.server.journal.disk.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The lives of a relay, one behind the other: where in the stream each of them began. What lay behind that place before is
 * gone, and its numbers went to others. It also says up to where all was forced when it was written: at the start of a life,
 * and at its quiet end.
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
 * The file is replaced as a whole, so it is the old one or the new one after a crash.
 *
 * @param epochs from the first to the last one
 * @param forcedPosition everything before it was forced when the table was written
 * @param forcedSequence number of the message there
 */
public record EpochTable(List<Epoch> epochs, long forcedPosition, long forcedSequence) {
    /** Epochs that are remembered at most although nothing of them is held any more. */
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
     * Finds the place up to which the messages of a life are still the same.
     *
     * @return the number of its first message that is gone, and that another one has got since: all before it is the same;
     *     {@link Long#MAX_VALUE}: this is the life of today; 0: the table has no such life
     */
    public long forkOf(long epoch) {
        // A directory that was put back may have known of later lives than it has messages of.
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
     * The newest lives, as clients are told them: this one, and those before of which a message is left. The others say
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
     * The life whose messages lie at a position: the last one that began there or before. What an earlier life had from there
     * on was cut, and may still lie in a file that is used again for the same place.
     */
    public Optional<Epoch> at(long position) {
        for (int i = epochs.size() - 1; i >= 0; i--) {
            if (epochs.get(i).position <= position) {
                return Optional.of(epochs.get(i));
            }
        }
        return Optional.empty();
    }

    /**
     * The same with one more: everything before its start is forced.
     *
     * @param oldest the position of the oldest message that is held: epochs that ended before are forgotten in the end
     */
    public EpochTable with(Epoch next, long oldest) {
        List<Epoch> all = new ArrayList<>(epochs);
        all.add(next);
        return new EpochTable(all, next.position, next.sequence).without(oldest);
    }

    /** The same without lives that ended long before the oldest message. */
    private EpochTable without(long oldest) {
        int past = 0;
        while (past + 1 < epochs.size() && epochs.get(past + 1).position <= oldest) {
            past++;
        }
        List<Epoch> left = epochs.subList(Math.max(0, past - MOST_PAST), epochs.size());
        return new EpochTable(left, forcedPosition, forcedSequence);
    }

    /**
     * The same with those lives of a stream that several relays have in common which it lacks; everything before its end is
     * forced.
     *
     * @param position the end of what is held
     * @param sequence number of the next message
     * @param oldest as above
     */
    public EpochTable joined(EpochTable others, long position, long sequence, long oldest) {
        int later = others.epochs.size();
        while (later > 0 && !has(others.epochs.get(later - 1).epoch)) {
            later--;
        }
        EpochTable all = this;
        for (Epoch life : others.epochs.subList(later, others.epochs.size())) {
            all = all.withLater(life);
        }
        return new EpochTable(all.epochs, position, sequence).without(oldest);
    }

    /** The same with a life that has begun meanwhile; itself, if it has that one. What was forced stays as it is. */
    public EpochTable withLater(Epoch life) {
        if (has(life.epoch)) {
            return this;
        }
        List<Epoch> all = new ArrayList<>(epochs);
        all.add(life);
        return new EpochTable(all, forcedPosition, forcedSequence);
    }

    /** Whether a life is among these. */
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
