package dev.msgrelay.server.session;

import dev.msgrelay.server.batch.AckSink;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The acknowledged publishers by their names: how far each one's messages were accepted, how far they are in the stream,
 * and which connection has the name. So that what is sent again on another connection is taken once.
 *
 * <pre>
 *   a name's messages   1 ... packed ... accepted ... sent
 *                             |           '- in the ring
 *                             '- in the stream: this is what ACK says
 * </pre>
 *
 * Bounded: a name that leaves without a message is forgotten at once, and when the table is full, a new name takes the place of the one that has been unconnected for the longest time, if
 * that is an hour or more. Owned by the first loop's thread, which reads publishers and packs.
 */
public final class PublisherNames implements AckSink {
    /** Names in the table at most. */
    public static final int MAX_NAMES = 65_536;

    /**
     * Bytes of the Java heap that a name takes at most: 255 bytes of text with their object, the record, the map's entry,
     * and two places in tables.
     */
    public static final int BYTES_PER_NAME = 480;

    /** An unconnected name is kept for at least so long. */
    static final long KEEP_NANOS = TimeUnit.HOURS.toNanos(1);

    private final int maxNames;
    private final Map<String, PublisherName> byName = new HashMap<>();
    // By owner less 1; those whose name was forgotten are used anew.
    private final List<PublisherName> byOwner = new ArrayList<>();
    private final ArrayDeque<Integer> freeOwners = new ArrayDeque<>();
    private final List<PublisherName> changed = new ArrayList<>();
    // The unconnected ones are a list from the one that left first to the one that left last.
    private PublisherName leftFirst;
    private PublisherName leftLast;
    private long nowNanos;

    public PublisherNames() {
        this(MAX_NAMES);
    }

    PublisherNames(int maxNames) {
        this.maxNames = maxNames;
    }

    /**
     * Gives a name to a connection, and takes it from the one that has it, which is told.
     *
     * @return null where there is no room for a new name
     */
    PublisherName connect(String name, PublisherName.Holder holder) {
        PublisherName entry = byName.get(name);
        if (entry == null) {
            entry = add(name);
            if (entry == null) {
                return null;
            }
        } else if (entry.holder == null) {
            unlink(entry);
        } else {
            PublisherName.Holder before = entry.holder;
            entry.holder = null;
            before.nameTaken();
        }
        entry.holder = holder;
        entry.settledAsked = false;
        return entry;
    }

    /** A connection is gone and has nothing left to hand in; of no effect where another one has the name by now. */
    void disconnect(PublisherName entry, PublisherName.Holder holder) {
        if (entry.holder != holder) {
            return;
        }
        entry.holder = null;
        if (entry.accepted() == 0) {
            // To be unknown is the same: nobody fills the table with bare HELLOs.
            forget(entry);
        } else {
            entry.leftNanos = nowNanos;
            link(entry);
        }
    }

    /** Names in the table. */
    int size() {
        return byName.size();
    }

    /** Told the time a few times a second. */
    public void tick(long now) {
        nowNanos = now;
    }

    private PublisherName add(String name) {
        if (byName.size() == maxNames) {
            PublisherName oldest = leftFirst;
            // What is still in the ring is packed under this owner.
            if (oldest == null || nowNanos - oldest.leftNanos < KEEP_NANOS || !oldest.settled()) {
                return null;
            }
            unlink(oldest);
            forget(oldest);
        }
        Integer owner = freeOwners.pollLast();
        if (owner == null) {
            byOwner.add(null);
            owner = byOwner.size();
        }
        PublisherName entry = new PublisherName(name, owner);
        byName.put(name, entry);
        byOwner.set(owner - 1, entry);
        return entry;
    }

    private void forget(PublisherName entry) {
        byName.remove(entry.name());
        byOwner.set(entry.owner() - 1, null);
        freeOwners.addLast(entry.owner());
    }

    // ---- what is in the stream --------------------------------------------------------------------------------

    @Override
    public void packed(int owner, int frames, long sequence) {
        PublisherName entry = byOwner.get(owner - 1);
        entry.pack(frames, sequence);
        if (!entry.changed) {
            entry.changed = true;
            changed.add(entry);
        }
    }

    @Override
    public void flush() {
        if (changed.isEmpty()) {
            return;
        }
        for (int i = 0; i < changed.size(); i++) {
            PublisherName entry = changed.get(i);
            entry.changed = false;
            if (entry.holder != null) {
                entry.holder.packed();
                if (entry.settledAsked && entry.settled()) {
                    entry.settledAsked = false;
                    entry.holder.settled();
                }
            }
        }
        changed.clear();
    }

    // ---- the list of the unconnected --------------------------------------------------------------------------

    private void link(PublisherName entry) {
        entry.older = leftLast;
        if (leftLast == null) {
            leftFirst = entry;
        } else {
            leftLast.newer = entry;
        }
        leftLast = entry;
    }

    private void unlink(PublisherName entry) {
        if (entry.older == null) {
            leftFirst = entry.newer;
        } else {
            entry.older.newer = entry.newer;
        }
        if (entry.newer == null) {
            leftLast = entry.older;
        } else {
            entry.newer.older = entry.older;
        }
        entry.older = null;
        entry.newer = null;
    }
}
