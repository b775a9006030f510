package dev.msgrelay.server.state;

import java.nio.ByteBuffer;

/**
 * Memory in cells of 64 bytes. An entry is a cell, and further cells for what a long body has beyond it. Cells are
 * linked into one list in the order of the entries' numbers, a ring that begins and ends at {@link #END}.
 *
 * <pre>
 *   entry     number | position | type | length | older | newer | more | 28 bytes of the body
 *   further   next | 60 bytes of the body
 *   marker    a cell of the list that is no entry: a place in the order, which stays when entries around it move
 * </pre>
 *
 * Owned by the core's thread.
 */
final class Cells {
    static final int BYTES = 64;

    /** Both ends of the list: older than all entries, and newer. Also stands for no cell. */
    static final int END = 0;

    private static final int NUMBER = 0;
    private static final int POSITION = NUMBER + Long.BYTES;
    private static final int TYPE = POSITION + Long.BYTES;
    private static final int LENGTH = TYPE + Integer.BYTES;
    private static final int OLDER = LENGTH + Integer.BYTES;
    private static final int NEWER = OLDER + Integer.BYTES;
    private static final int MORE = NEWER + Integer.BYTES;
    private static final int BODY = MORE + Integer.BYTES;

    private static final int BODY_BYTES = BYTES - BODY;
    private static final int NEXT = 0;
    private static final int FURTHER = NEXT + Integer.BYTES;
    private static final int FURTHER_BYTES = BYTES - FURTHER;

    private static final int NO_ENTRY = -1;
    private static final long COPIED = -1;

    private final ByteBuffer memory;
    private final int base;
    private final int most;
    // The first cell that was never in use, the first one of those that were given back, and how many are in use.
    private int fresh = END + 1;
    private int free = END;
    private int used;

    /**
     * @param memory in the machine's own byte order
     * @param base offset of the cells
     * @param most number of cells beside {@link #END}
     */
    Cells(ByteBuffer memory, int base, int most) {
        this.memory = memory;
        this.base = base;
        this.most = most;
        link(END, END, END);
        memory.putInt(at(END) + LENGTH, NO_ENTRY);
    }

    /** Cells that an entry takes once its body is copied. */
    static int cellsOf(int length) {
        return 1 + further(length);
    }

    private static int further(int length) {
        return length <= BODY_BYTES ? 0 : (length - BODY_BYTES + FURTHER_BYTES - 1) / FURTHER_BYTES;
    }

    private int at(int cell) {
        return base + cell * BYTES;
    }

    int used() {
        return used;
    }

    // ---- cells ------------------------------------------------------------------------------------------------

    private int take() {
        int cell = free;
        if (cell != END) {
            free = memory.getInt(at(cell) + NEXT);
        } else {
            if (fresh > most) {
                throw new IllegalStateException("all " + most + " cells are in use");
            }
            cell = fresh++;
        }
        used++;
        return cell;
    }

    private void giveBack(int cell) {
        memory.putInt(at(cell) + NEXT, free);
        free = cell;
        used--;
    }

    /** Makes an entry, which is not in the list yet. */
    int newEntry(int type) {
        int cell = take();
        memory.putInt(at(cell) + TYPE, type);
        memory.putInt(at(cell) + MORE, END);
        return cell;
    }

    /** Makes a marker behind a cell of the list. */
    int newMarker(int behind) {
        int cell = take();
        memory.putInt(at(cell) + LENGTH, NO_ENTRY);
        insert(cell, behind);
        return cell;
    }

    /** Takes an entry or a marker out of the list, and gives its cells back. */
    void drop(int cell) {
        if (isEntry(cell)) {
            dropBody(cell);
        }
        remove(cell);
        giveBack(cell);
    }

    private void dropBody(int entry) {
        int more = memory.getInt(at(entry) + MORE);
        while (more != END) {
            int next = memory.getInt(at(more) + NEXT);
            giveBack(more);
            more = next;
        }
        memory.putInt(at(entry) + MORE, END);
    }

    // ---- the list ---------------------------------------------------------------------------------------------

    int older(int cell) {
        return memory.getInt(at(cell) + OLDER);
    }

    int newer(int cell) {
        return memory.getInt(at(cell) + NEWER);
    }

    private void link(int older, int cell, int newer) {
        memory.putInt(at(cell) + OLDER, older);
        memory.putInt(at(older) + NEWER, cell);
        memory.putInt(at(cell) + NEWER, newer);
        memory.putInt(at(newer) + OLDER, cell);
    }

    private void insert(int cell, int behind) {
        link(behind, cell, newer(behind));
    }

    private void remove(int cell) {
        int older = older(cell);
        int newer = newer(cell);
        memory.putInt(at(older) + NEWER, newer);
        memory.putInt(at(newer) + OLDER, older);
    }

    /** Moves a marker behind another cell of the list. */
    void move(int marker, int behind) {
        if (marker != behind && older(marker) != behind) {
            remove(marker);
            insert(marker, behind);
        }
    }

    boolean isEntry(int cell) {
        return length(cell) != NO_ENTRY;
    }

    // ---- entries ----------------------------------------------------------------------------------------------

    int type(int entry) {
        return memory.getInt(at(entry) + TYPE);
    }

    /** Bytes of the body. */
    int length(int entry) {
        return memory.getInt(at(entry) + LENGTH);
    }

    long number(int entry) {
        return memory.getLong(at(entry) + NUMBER);
    }

    /** Position in the log of the entry's frame, if {@link #isCopied} is false. */
    long position(int entry) {
        return memory.getLong(at(entry) + POSITION);
    }

    boolean isCopied(int entry) {
        return position(entry) == COPIED;
    }

    /** Appends a new entry to the list. */
    void append(int entry, int length, long number, long position) {
        write(entry, length, number, position);
        insert(entry, older(END));
    }

    /** Gives an entry of the list its newest message, which moves the entry to the list's end. */
    void renew(int entry, int length, long number, long position) {
        if (memory.getInt(at(entry) + MORE) != END) {
            dropBody(entry);
        }
        if (newer(entry) != END) {
            remove(entry);
            insert(entry, older(END));
        }
        write(entry, length, number, position);
    }

    private void write(int entry, int length, long number, long position) {
        int at = at(entry);
        memory.putLong(at + NUMBER, number);
        memory.putLong(at + POSITION, position);
        memory.putInt(at + LENGTH, length);
    }

    /** Where a body comes from: copies {@code length} bytes of it to {@code at} in {@code target}. */
    interface Source {
        void copy(long from, int length, ByteBuffer target, int at);
    }

    /** Copies the body of an entry, which starts at {@code position}. Takes {@link #cellsOf} less one cells. */
    void copyIn(int entry, Source source, long position) {
        int left = length(entry);
        long from = position;
        int part = Math.min(left, BODY_BYTES);
        source.copy(from, part, memory, at(entry) + BODY);
        left -= part;
        int link = at(entry) + MORE;
        while (left > 0) {
            from += part;
            int cell = take();
            memory.putInt(link, cell);
            link = at(cell) + NEXT;
            part = Math.min(left, FURTHER_BYTES);
            source.copy(from, part, memory, at(cell) + FURTHER);
            left -= part;
        }
        memory.putInt(link, END);
        memory.putLong(at(entry) + POSITION, COPIED);
    }

    /** Puts the body of a copied entry at the position of {@code target}. */
    void copyOut(int entry, ByteBuffer target) {
        int left = length(entry);
        int part = Math.min(left, BODY_BYTES);
        put(at(entry) + BODY, part, target);
        left -= part;
        int cell = memory.getInt(at(entry) + MORE);
        while (left > 0) {
            part = Math.min(left, FURTHER_BYTES);
            put(at(cell) + FURTHER, part, target);
            left -= part;
            cell = memory.getInt(at(cell) + NEXT);
        }
    }

    private void put(int from, int length, ByteBuffer target) {
        int to = target.position();
        target.put(to, memory, from, length);
        target.position(to + length);
    }
}
