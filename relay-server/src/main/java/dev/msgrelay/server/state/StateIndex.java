package dev.msgrelay.server.state;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.PacketLog;
import dev.msgrelay.server.stream.RunScan;
import java.nio.ByteBuffer;

/**
 * The newest message of each type, in the order of the stream. While the log has a message, its entry is only a
 * position. Before the log drops the message, its body is copied. When the memory is full, the oldest entries are
 * forgotten.
 *
 * <pre>
 *   arrivals  the last messages, the newest of each type; they are put at the order's end when the order is needed
 *   table     type -> cell
 *   order     END | copied ... seam | in the log ... | END       a put moves the entry of its type to the end
 *                      ^ marker of a walk: what is behind it is still to be sent
 *
 *   forgotten value, tombstone: the highest numbers that were forgotten. All entries have higher ones.
 * </pre>
 *
 * A tombstone, a message with an empty body, is an entry like others: a client that was away must learn of it.
 *
 * <p>Owned by the core's thread; {@link #figures} is for any thread.
 */
public final class StateIndex implements PacketLog.Keeper {
    /** Most entries that one call of {@link #fill} looks at, so that a walk does not hold up the core. */
    static final int MOST_STEPS = 1024;

    private static final int FRAME_BYTES = FrameLayout.HEADER_LENGTH;
    // Places in the table for each cell, in halves: with two thirds in use a search takes a few steps.
    private static final int HALVES = 3;
    private static final int BYTES_PER_CELL = Cells.BYTES + Integer.BYTES * HALVES / 2;
    /** {@link Cells#END}, the seam, and room to begin the cells at a cache line. */
    private static final int EXTRA_BYTES = 4 * Cells.BYTES;

    private final PacketLog log;
    private final Cells.Source logBytes;
    private final TypeRanges kept;
    private final boolean keepsAll;
    private final ByteBuffer memory;
    private final Cells cells;
    private final Arrivals arrivals;
    private final long size;
    private final int mostCells;
    private final int places;
    private final long seed;
    private final int seam;
    private int markers;
    // The oldest entry, or END. Thousands of markers may be before it, so it is not looked for.
    private int oldest = Cells.END;

    private int types;
    private long forgottenValue;
    private long forgottenTombstone;
    private long forgotten;
    private volatile Figures figures = new Figures(0, 0, 0, 0, 0);

    /**
     * The figures of an index.
     *
     * @param types types that it has
     * @param bytes bytes that they take
     * @param forgottenValue the highest number of a message with a body that was forgotten; 0: none
     * @param forgottenTombstone the highest number of a tombstone that was forgotten; 0: none
     * @param forgotten how many types were forgotten because the memory was full
     */
    public record Figures(int types, long bytes, long forgottenValue, long forgottenTombstone, long forgotten) {}

    /** Returns the bytes of memory that an index of this size takes, for as many walks at a time. */
    public static long memoryBytes(long size, long walks) {
        return size + walks * Cells.BYTES + EXTRA_BYTES;
    }

    /** Returns the least size, in bytes, that has room for a message with the longest body. */
    public static long leastSize(int maxBody) {
        return (long) Cells.cellsOf(maxBody) * BYTES_PER_CELL;
    }

    /**
     * @param log where the messages are; its first message is the first one that the index gets to know
     * @param memory {@link #memoryBytes} bytes of direct memory, in the machine's own byte order
     * @param size bytes for entries and table, at least {@link #leastSize}
     * @param kept types that have entries
     * @param seed a random number that clients do not know, so that none can choose types that are slow to find
     */
    public StateIndex(PacketLog log, ByteBuffer memory, int size, TypeRanges kept, long seed) {
        this.log = log;
        this.logBytes = log::copy;
        this.memory = memory;
        this.size = size;
        this.kept = kept;
        this.keepsAll = kept.isAll();
        this.seed = seed;
        mostCells = size / BYTES_PER_CELL;
        places = mostCells * HALVES / 2 + 1;
        for (int place = 0; place < places; place++) {
            memory.putInt(place * Integer.BYTES, Cells.END);
        }
        int table = places * Integer.BYTES;
        int base = table + Math.floorMod(-memory.alignmentOffset(table, Cells.BYTES), Cells.BYTES);
        cells = new Cells(memory, base, (memory.capacity() - base) / Cells.BYTES - 1);
        seam = newMarker(Cells.END);
        arrivals = new Arrivals(seed);
        forgottenValue = log.lastSequence();
        forgottenTombstone = forgottenValue;
        takeFigures();
    }

    /** Returns whether the index has all types of a set. */
    public boolean has(TypeRanges asked) {
        return keepsAll || asked.equals(kept.intersect(asked));
    }

    public TypeRanges kept() {
        return kept;
    }

    long size() {
        return size;
    }

    // ---- new messages -----------------------------------------------------------------------------------------

    @Override
    public void packed(RunScan span, long position, long sequence) {
        int stretches = span.stretches();
        for (int k = 0; k < stretches; k++) {
            int type = span.type(k);
            if (keepsAll || kept.contains(type)) {
                long number = sequence + span.framesThrough(k) - 1;
                if (arrivals.isFull(number)) {
                    settle();
                }
                arrivals.note(type, span.bodyLength(k), number, position + span.lastStart(k));
            }
        }
    }

    /** Puts all arrivals into the order. Everything that reads the order does that first. */
    private void settle() {
        int count = arrivals.types();
        if (count == 0) {
            return;
        }
        arrivals.sort();
        // Table and entries have left the processor's cache. These searches do not wait for each other.
        for (int k = 0; k < count; k++) {
            find(arrivals.typeAt(k));
        }
        for (int k = 0; k < count; k++) {
            put(arrivals.typeAt(k), arrivals.lengthAt(k), arrivals.numberAt(k), arrivals.positionAt(k));
        }
        arrivals.clear();
    }

    /**
     * Puts a message at the end of the order; its number is higher than all before. Its frame starts at
     * {@code position} of the log.
     *
     * @return its entry
     */
    private int put(int type, int length, long number, long position) {
        int place = find(type);
        int cell = cellAt(place);
        if (cell != Cells.END) {
            if (cell == oldest) {
                int next = entryBehind(cell);
                oldest = next == Cells.END ? cell : next;
            }
            cells.renew(cell, length, number, position);
            return cell;
        }
        if (freeCells() == 0) {
            forgetOldest();
            place = find(type);
        }
        cell = cells.newEntry(type);
        cells.append(cell, length, number, position);
        setCell(place, cell);
        types++;
        if (oldest == Cells.END) {
            oldest = cell;
        }
        return cell;
    }

    @Override
    public void dropping(long position) {
        if (arrivals.beginsBefore(position)) {
            settle();
        }
        int next = cells.newer(seam);
        while (next != Cells.END) {
            if (cells.isEntry(next)) {
                if (cells.position(next) >= position) {
                    break;
                }
                // A body that an arrival has replaced must not be copied, nor push out others.
                if (arrivals.types() > 0) {
                    settle();
                    next = cells.newer(seam);
                    continue;
                }
                if (!makeRoom(next)) {
                    next = cells.newer(seam);
                    continue;
                }
                cells.copyIn(next, logBytes, cells.position(next) + FRAME_BYTES);
            }
            cells.move(seam, next);
            next = cells.newer(seam);
        }
    }

    /** Forgets the oldest entries until there is room for a copy; returns false if the entry itself was forgotten. */
    private boolean makeRoom(int entry) {
        int needed = Cells.cellsOf(cells.length(entry)) - 1;
        while (freeCells() < needed) {
            if (forgetOldest() == entry) {
                return false;
            }
        }
        return true;
    }

    private int freeCells() {
        return mostCells - (cells.used() - markers);
    }

    private int forgetOldest() {
        int entry = oldest;
        if (cells.length(entry) == 0) {
            forgottenTombstone = cells.number(entry);
        } else {
            forgottenValue = cells.number(entry);
        }
        forgotten++;
        drop(entry);
        return entry;
    }

    private void drop(int entry) {
        types--;
        clear(find(cells.type(entry)));
        if (entry == oldest) {
            oldest = entryBehind(entry);
        }
        cells.drop(entry);
    }

    /** Returns the next newer entry; {@link Cells#END} if there is none. */
    private int entryBehind(int cell) {
        int next = cells.newer(cell);
        while (next != Cells.END && !cells.isEntry(next)) {
            next = cells.newer(next);
        }
        return next;
    }

    // ---- messages from before the log ---------------------------------------------------------------------------

    /** Begins to note messages from before the log: the numbers of the first value, and tombstone, still known. */
    public void recallFrom(long firstValue, long firstTombstone) {
        forgottenValue = firstValue - 1;
        forgottenTombstone = firstTombstone - 1;
    }

    /**
     * Notes messages from before the log, in their order. Their bodies are copied.
     *
     * @param span notes its stretches
     * @param sequence number of its first frame
     * @param maxBody the longest body that can be sent; what is longer is not known any more
     */
    public void recall(RunScan span, long sequence, int maxBody) {
        ByteBuffer bytes = span.buffer();
        Cells.Source source = (from, length, target, at) -> target.put(at, bytes, (int) from, length);
        for (int k = 0; k < span.stretches(); k++) {
            int type = span.type(k);
            int length = span.bodyLength(k);
            long number = sequence + span.framesThrough(k) - 1;
            if (length > maxBody) {
                forgetUpTo(number);
            } else if (keepsAll || kept.contains(type)) {
                int entry = put(type, length, number, 0);
                if (makeRoom(entry)) {
                    cells.copyIn(entry, source, span.offset() + span.lastStart(k) + FRAME_BYTES);
                }
            }
        }
    }

    /** Forgets all messages up to a number, the highest one so far, since some of them are not known. */
    public void forgetUpTo(long number) {
        int cell = cells.newer(Cells.END);
        while (cell != Cells.END) {
            int next = cells.newer(cell);
            if (cells.isEntry(cell)) {
                drop(cell);
            }
            cell = next;
        }
        recallFrom(number + 1, number + 1);
    }

    /** Ends the notes of messages from before the log, which has the next ones. */
    public void recalled() {
        cells.move(seam, cells.older(Cells.END));
        takeFigures();
    }

    // ---- table ------------------------------------------------------------------------------------------------

    /** Returns the place of a type in the table, or the empty place where it would be. */
    private int find(int type) {
        int place = home(type);
        while (true) {
            int cell = cellAt(place);
            if (cell == Cells.END || cells.type(cell) == type) {
                return place;
            }
            place = after(place);
        }
    }

    private int home(int type) {
        return (int) TypeSet.home(type, seed, places);
    }

    private int after(int place) {
        return place + 1 == places ? 0 : place + 1;
    }

    private int cellAt(int place) {
        return memory.getInt(place * Integer.BYTES);
    }

    private void setCell(int place, int cell) {
        memory.putInt(place * Integer.BYTES, cell);
    }

    /** Empties a place, and moves cells behind it that would no longer be found. */
    private void clear(int place) {
        int hole = place;
        int at = after(hole);
        for (int cell = cellAt(at); cell != Cells.END; cell = cellAt(at)) {
            int home = home(cells.type(cell));
            if (distance(home, at) >= distance(hole, at)) {
                setCell(hole, cell);
                hole = at;
            }
            at = after(at);
        }
        setCell(hole, Cells.END);
    }

    private int distance(int from, int to) {
        return to >= from ? to - from : to - from + places;
    }

    // ---- walks ------------------------------------------------------------------------------------------------

    /**
     * Goes on with a walk: fills its buffer with frames for the client, in the order of their numbers. Called only when
     * the head has reached the end of the log.
     *
     * <p>A message is sent once, at its newest: if it changes behind the walk's place, it is met again; if before, it
     * was not sent yet. At the head, the client has been told of every number up to it.
     */
    void fill(Walk walk) {
        settle();
        ByteBuffer into = walk.begin();
        readHead(walk.head);
        int steps = seek(walk);
        if (steps == 0) {
            return;
        }
        long lost = walk.next == 1 ? forgottenValue : Math.max(forgottenValue, forgottenTombstone);
        if (lost >= walk.next) {
            GapFrame.put(into, walk.next, lost, GapReason.NOT_HELD);
            walk.next = lost + 1;
        }
        int last = walk.marker;
        for (; steps > 0; steps--) {
            int cell = cells.newer(last);
            if (cell == Cells.END) {
                if (into.remaining() >= GapFrame.FRAME_LENGTH) {
                    arrive(walk, into);
                }
                break;
            }
            if (cells.isEntry(cell) && walk.types().contains(cells.type(cell)) && !put(walk, cell, into)) {
                break;
            }
            last = cell;
        }
        if (walk.marker != Cells.END) {
            cells.move(walk.marker, last);
        }
    }

    /** Finds the walk's place in the order, if it has none yet; returns how many steps are left then. */
    private int seek(Walk walk) {
        if (walk.marker == Cells.END) {
            boolean all = walk.next == 1;
            walk.marker = newMarker(all ? Cells.END : cells.older(Cells.END));
            walk.seeks = !all;
        }
        int steps = MOST_STEPS;
        int at = walk.marker;
        for (; walk.seeks && steps > 0; steps--) {
            int older = cells.older(at);
            if (older == Cells.END || cells.isEntry(older) && cells.number(older) < walk.next) {
                walk.seeks = false;
                cells.move(walk.marker, older);
            } else {
                at = older;
            }
        }
        if (walk.seeks) {
            cells.move(walk.marker, cells.older(at));
        }
        return steps;
    }

    private boolean put(Walk walk, int entry, ByteBuffer into) {
        long number = cells.number(entry);
        int length = cells.length(entry);
        int frame = FrameLayout.frameLength(length);
        int needed = number > walk.next ? frame + GapFrame.FRAME_LENGTH : frame;
        if (into.remaining() < needed) {
            walk.needed = into.position() == 0 ? needed : 0;
            return false;
        }
        if (number > walk.next) {
            walk.supersede(number - 1);
        }
        if (cells.isCopied(entry)) {
            into.putInt(cells.type(entry)).putInt(length);
            cells.copyOut(entry, into);
        } else {
            log.copy(cells.position(entry), frame, into, into.position());
            into.position(into.position() + frame);
        }
        walk.sent(number, frame);
        return true;
    }

    private void arrive(Walk walk, ByteBuffer into) {
        Mark head = walk.head;
        if (head.sequence() > walk.next) {
            walk.supersede(head.sequence() - 1);
        }
        walk.next = head.sequence();
        walk.arrived = true;
        leave(walk);
    }

    void readHead(Mark head) {
        log.head().read(head);
    }

    /** Forgets a walk's place. */
    void leave(Walk walk) {
        if (walk.marker != Cells.END) {
            cells.drop(walk.marker);
            walk.marker = Cells.END;
            markers--;
        }
    }

    /** Walks that have a place in the order now. */
    int walks() {
        // Without the seam.
        return markers - 1;
    }

    private int newMarker(int behind) {
        markers++;
        return cells.newMarker(behind);
    }

    // ---- figures ----------------------------------------------------------------------------------------------

    /** Makes the present figures visible to other threads. */
    void takeFigures() {
        settle();
        long bytes = (long) (cells.used() - markers) * BYTES_PER_CELL;
        figures = new Figures(types, bytes, forgottenValue, forgottenTombstone, forgotten);
    }

    /** Returns the figures of the last tick. Any thread. */
    public Figures figures() {
        return figures;
    }
}
