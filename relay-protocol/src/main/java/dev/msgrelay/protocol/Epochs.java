package dev.msgrelay.protocol;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The newest lives of a relay's stream, as WELCOME tells them: each has its epoch, and the first sequence that it could
 * give. By its own rows and those of a relay that does not know its epoch, such as behind an older backup, a client
 * finds what both have in common. Immutable.
 *
 * <pre>
 *   client   epoch a from 1 | b from 61 ........ 90        it asks in epoch b for 91
 *   relay    epoch a from 1 | c from 61                    unknown to this relay: a is the last that both have,
 *                             ^                            and up to 60 all is the same
 * </pre>
 *
 * @param rows from the newest to the oldest, at most {@link #MOST}
 */
public record Epochs(List<Row> rows) {
    /** Most rows of a WELCOME. */
    public static final int MOST = 16;

    /** No rows: the relay tells none. */
    public static final Epochs NONE = new Epochs(List.of());

    private static final int TYPE = ControlFrames.WELCOME;
    private static final int COUNT_LENGTH = 2 * Short.BYTES;
    private static final int ROW_LENGTH = 2 * Long.BYTES;

    /**
     * A life of a stream.
     *
     * @param epoch not 0
     * @param first sequence of the first message that this life could give, from 1
     */
    public record Row(long epoch, long first) {
        public Row {
            if (epoch == 0) {
                throw new Fields.Invalid(TYPE, "epoch of a row is 0, which stands for none");
            }
            Fields.within(TYPE, "first sequence of an epoch", first, 1, Long.MAX_VALUE);
        }
    }

    /**
     * The last life that two streams have in common.
     *
     * @param epoch of this life
     * @param changed the first sequence that is not, or need not be, the same in both
     * @param older the rows from this life on
     */
    public record Common(long epoch, long changed, Epochs older) {}

    /** @throws IllegalArgumentException there are more than {@link #MOST} rows */
    public Epochs {
        Fields.within(TYPE, "count of epochs", rows.size(), 0, MOST);
        rows = List.copyOf(rows);
    }

    /** Whether there are no rows. */
    public boolean isNone() {
        return rows.isEmpty();
    }

    /**
     * Finds the last life that a client and a relay have in common; asked of the client's rows, whose newest one is of
     * the epoch that the relay has said it does not know.
     *
     * @return null: none, as far as the rows go
     */
    public Common commonWith(Epochs relay) {
        long changed = Long.MAX_VALUE;
        for (int i = 1; i < rows.size(); i++) {
            changed = Math.min(changed, rows.get(i - 1).first);
            long there = relay.changedBehind(rows.get(i).epoch);
            if (there > 0) {
                return new Common(
                        rows.get(i).epoch, Math.min(changed, there), new Epochs(rows.subList(i, rows.size())));
            }
        }
        return null;
    }

    /**
     * The first sequence that is not, or need not be, the same as in an earlier state of the stream, or in another one.
     *
     * @param before rows of that state
     * @return MAX_VALUE: there is none; 1: the two have no life in common, as far as the rows go
     */
    public long changedSince(Epochs before) {
        long changed = Long.MAX_VALUE;
        for (Row row : before.rows) {
            long there = changedBehind(row.epoch);
            if (there > 0) {
                return Math.min(changed, there);
            }
            changed = Math.min(changed, row.first);
        }
        return 1;
    }

    /** First sequence that a later life than this one has given; MAX_VALUE: there is no later one; 0: no such life. */
    private long changedBehind(long epoch) {
        long changed = Long.MAX_VALUE;
        for (Row row : rows) {
            if (row.epoch == epoch) {
                return changed;
            }
            changed = Math.min(changed, row.first);
        }
        return 0;
    }

    /** One word for a file: {@code EPOCH:FIRST,EPOCH:FIRST}, from the newest to the oldest; empty: no rows. */
    public String text() {
        return rows.stream().map(row -> row.epoch + ":" + row.first).collect(Collectors.joining(","));
    }

    /**
     * Reads {@link #text}.
     *
     * @throws IllegalArgumentException the text is not of this form
     */
    public static Epochs parse(String text) {
        List<Row> rows = new ArrayList<>();
        for (String row : text.isEmpty() ? new String[0] : text.split(",", MOST + 1)) {
            int colon = row.indexOf(':');
            if (colon < 0) {
                throw new IllegalArgumentException("'" + row + "' is not EPOCH:FIRST");
            }
            rows.add(new Row(Long.parseLong(row.substring(0, colon)), Long.parseLong(row.substring(colon + 1))));
        }
        return new Epochs(rows);
    }

    int length() {
        return COUNT_LENGTH + rows.size() * ROW_LENGTH;
    }

    void put(ByteBuffer frame) {
        frame.putShort((short) rows.size()).putShort((short) 0);
        for (Row row : rows) {
            frame.putLong(row.epoch).putLong(row.first);
        }
    }

    /** Reads the rows at an offset of WELCOME's body. */
    static Epochs decode(ByteBuffer body, int offset) {
        Fields.room(TYPE, "the count of epochs", body, offset, COUNT_LENGTH);
        int count = Fields.uint16(body, offset);
        Fields.within(TYPE, "count of epochs", count, 0, MOST);
        Fields.reserved(TYPE, offset + Short.BYTES, Fields.uint16(body, offset + Short.BYTES));
        Fields.room(TYPE, "the epochs", body, offset + COUNT_LENGTH, count * ROW_LENGTH);
        List<Row> rows = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int at = offset + COUNT_LENGTH + i * ROW_LENGTH;
            rows.add(new Row(Fields.int64(body, at), Fields.int64(body, at + Long.BYTES)));
        }
        return new Epochs(rows);
    }
}
