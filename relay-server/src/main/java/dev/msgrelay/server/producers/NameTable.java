package dev.msgrelay.server.producers;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.figures.TimeHistogram;
import dev.msgrelay.server.journal.NameMoves;
import dev.msgrelay.server.journal.format.JournalName;
import dev.msgrelay.server.memory.MemoryBudget.Pool;
import dev.msgrelay.server.producers.NameRules.Verdict;
import dev.msgrelay.server.stream.Orderer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The names of acknowledged publishers: the last number of each in the stream, its producer, and its connection. So a
 * message that is sent again on another connection is taken once, and two producers' messages are never confused.
 *
 * <p>{@link NameRules} decides which producer and which identity has a name. A random id identifies a producer; all
 * clients that send no id count as one producer.
 *
 * <p>The size of the table is bounded. A name without messages is forgotten when its connection ends. In a full table a
 * new name replaces the name that has been without a connection for longest, if that is an hour or more. Owned by the
 * core's thread.
 */
public final class NameTable {
    /**
     * Most bytes of the Java heap that a name takes. With 65,536 names 475 were measured: for 255 bytes of text with
     * their object, the entry with its id, and the map's entry. The journal's record of the name takes 72 more.
     */
    public static final int BYTES_PER_NAME = 560;

    private final Pool memory;
    private final NameRules rules;
    private final LongSupplier clock;
    private final TimeHistogram times;
    private final Map<String, PublisherName> connected = new HashMap<>();
    // Names without a connection, in the order in which they lost it.
    private final Map<String, PublisherName> left = new LinkedHashMap<>();
    private final List<PublisherName> changed = new ArrayList<>();
    private final List<Runnable> whenShown = new ArrayList<>();
    // The time of the first message of this batch that has to be acknowledged.
    private long batchNanos;
    private final List<PublisherName.Holder> waiting = new ArrayList<>();
    // The journal's part that keeps the names for the next start of the relay.
    private Optional<NameMoves> moves = Optional.empty();
    // Assigns the names in a cluster. Otherwise this table assigns them.
    private Optional<Orderer> giver = Optional.empty();

    /**
     * @param memory the memory for names, in bytes
     * @param holdNanos the time for which a name stays with its producer after its connection has ended
     * @param clock in ns, read at the start and the end of a batch only
     * @param times counts the times of acknowledgements
     */
    public NameTable(Pool memory, long holdNanos, LongSupplier clock, TimeHistogram times) {
        this.memory = memory;
        this.rules = new NameRules(TimeUnit.NANOSECONDS, holdNanos);
        this.clock = clock;
        this.times = times;
    }

    /**
     * Assigns a name to a connection. An older connection of the same producer loses the name, and is notified.
     *
     * @param owner the identity of the connection; empty if the relay knows no identities
     * @throws FrameException the name belongs to another producer or identity, or there are too many names
     */
    PublisherName connect(String name, ProducerId producer, String owner, PublisherName.Holder holder, long nowNanos)
            throws FrameException {
        boolean away = left.containsKey(name);
        PublisherName entry = away ? left.get(name) : connected.getOrDefault(name, PublisherName.NONE);
        long awayNanos = away ? nowNanos - entry.leftNanos : NameRules.CONNECTED;
        Verdict verdict = entry == PublisherName.NONE
                ? Verdict.BEGINS
                : rules.decide(entry.producer, entry.owner, awayNanos, producer, owner);
        if (verdict.refuses()) {
            throw new FrameException(CloseReason.NAME_HELD, rules.refusal(verdict, name, awayNanos, ""));
        }
        left.remove(name);
        if (verdict == Verdict.BEGINS) {
            if (away) {
                memory.giveBack(BYTES_PER_NAME);
            }
            long limit = memory.limit() / BYTES_PER_NAME;
            entry = add(name, producer, owner, nowNanos)
                    .orElseThrow(() -> new FrameException(CloseReason.TOO_MANY_NAMES, NameRules.tooMany(limit)));
        } else if (verdict == Verdict.STARTS_ANEW) {
            entry.startAnew(producer);
        } else {
            entry.loseHolder();
        }
        // The key is the entry's own text, so that memory does not hold the text twice.
        connected.put(entry.name(), entry);
        entry.holder = holder;
        if (!owner.isEmpty()) {
            // A name from before the relay had identities may have no owner yet.
            entry.owner = owner;
        }
        return entry;
    }

    /** Takes the name from a connection that has ended; has no effect if another connection has it. */
    void disconnect(PublisherName entry, PublisherName.Holder holder, long nowNanos) {
        if (entry.holder != holder) {
            return;
        }
        entry.holder = PublisherName.Holder.NOBODY;
        if (givenElsewhere()) {
            forget(entry);
            giveUp(entry.name(), entry.producer);
        } else if (entry.accepted() == 0) {
            // A name without messages need not be remembered. So HELLOs without messages do not fill the table.
            forget(entry);
        } else {
            connected.remove(entry.name());
            leaves(entry, nowNanos);
        }
    }

    private void leaves(PublisherName entry, long nowNanos) {
        entry.leftNanos = nowNanos;
        left.put(entry.name(), entry);
    }

    public int size() {
        return connected.size() + left.size();
    }

    private Optional<PublisherName> add(String name, ProducerId producer, String owner, long nowNanos) {
        if (!memory.tryTake(BYTES_PER_NAME)) {
            // The new name gets the memory of the name that has been without a connection for longest.
            Iterator<PublisherName> oldest = left.values().iterator();
            if (!oldest.hasNext() || !rules.mayBeForgotten(nowNanos - oldest.next().leftNanos)) {
                return Optional.empty();
            }
            oldest.remove();
        }
        return Optional.of(new PublisherName(this, name, producer, owner));
    }

    private void forget(PublisherName entry) {
        connected.remove(entry.name());
        memory.giveBack(BYTES_PER_NAME);
    }

    /** From now on, reports to the journal each time the last number of a name moves. */
    public void keepIn(NameMoves journal) {
        moves = Optional.of(journal);
    }

    /** Restores names from the journal; if memory is short, only the names with the newest messages. */
    public void restore(List<JournalName.State> known, long nowNanos) {
        List<JournalName.State> byAge = new ArrayList<>(known);
        byAge.sort(Comparator.comparingLong(JournalName.State::sequence));
        int most = (int) Math.min(byAge.size(), memory.limit() / BYTES_PER_NAME);
        for (JournalName.State state : byAge.subList(byAge.size() - most, byAge.size())) {
            JournalName name = state.name();
            PublisherName entry =
                    add(name.name(), name.producer(), name.owner(), nowNanos).orElseThrow();
            entry.restore(name.hole(), state.number(), state.sequence());
            leaves(entry, nowNanos);
        }
    }

    /** Returns whether the journal has room to note messages of one more name. */
    public boolean hasRoom() {
        return moves.isEmpty() || moves.get().hasRoom();
    }

    /** Lets an orderer assign the names. The table then has only names with a connection here. */
    public void decidedBy(Orderer orderer) {
        giver = Optional.of(orderer);
    }

    /** Returns whether names must be claimed from the cluster, because this table does not assign them. */
    boolean givenElsewhere() {
        return giver.isPresent();
    }

    /** Asks the cluster for a name; returns false if there is no room for the question now. */
    boolean claim(String name, ProducerId producer, String owner, Orderer.Claimant claimant) {
        return giver.orElseThrow().claim(name, producer, owner, claimant);
    }

    void giveUp(String name, ProducerId producer) {
        giver.orElseThrow().releaseName(name, producer);
    }

    /**
     * Enters a name that the cluster has assigned. An older connection here loses the name, and is notified.
     *
     * @param accepted number of the name's last message in the stream; {@link Orderer#NONE} if there is none
     * @param sequence the sequence of that message
     * @throws FrameException there are too many names here; the new name is given back
     */
    PublisherName claimed(
            String name, ProducerId producer, String owner, PublisherName.Holder holder, long accepted, long sequence)
            throws FrameException {
        takenElsewhere(name);
        Optional<PublisherName> added = add(name, producer, owner, 0);
        if (added.isEmpty()) {
            giveUp(name, producer);
            throw new FrameException(CloseReason.TOO_MANY_NAMES, "HELLO: too many names have connections here");
        }
        PublisherName entry = added.get();
        connected.put(name, entry);
        entry.holder = holder;
        if (accepted != Orderer.NONE) {
            entry.restore(JournalName.Hole.NONE, accepted, sequence);
        }
        return entry;
    }

    /** Takes a name from its connection here, and notifies that connection. A newer connection has the name. */
    public void takenElsewhere(String name) {
        if (connected.containsKey(name)) {
            PublisherName entry = connected.get(name);
            forget(entry);
            entry.loseHolder();
        }
    }

    public void release() {
        memory.giveBack((long) size() * BYTES_PER_NAME);
        connected.clear();
        left.clear();
    }

    /** Counts messages that are in the log; the name's holder is notified at the end of the batch. */
    public void accepted(PublisherName entry, int messages, long lastSequence) {
        entry.append(messages, lastSequence);
        if (moves.isPresent()) {
            moves.get().add(entry.journalName(), lastSequence, messages, entry.accepted());
        }
        changed(entry);
    }

    /** Requests that the name's holder is notified at the end of the batch. */
    void changed(PublisherName entry) {
        if (!entry.changed) {
            if (changed.isEmpty()) {
                batchNanos = clock.getAsLong();
            }
            entry.changed = true;
            changed.add(entry);
        }
    }

    /**
     * Called at the end of a batch, when subscribers see its messages. Lets the holder of each changed name acknowledge
     * its messages, and runs the tasks from {@link #whenShown}.
     */
    public void acknowledge() {
        for (int i = 0; i < changed.size(); i++) {
            PublisherName entry = changed.get(i);
            entry.changed = false;
            entry.holder.acknowledge();
        }
        if (!changed.isEmpty()) {
            times.add(clock.getAsLong() - batchNanos);
        }
        changed.clear();
        for (int i = 0; i < whenShown.size(); i++) {
            whenShown.get(i).run();
        }
        whenShown.clear();
    }

    /** Runs {@code words} at the end of the batch, when subscribers see its messages. {@code words} must not throw. */
    public void whenShown(Runnable words) {
        whenShown.add(words);
    }

    /** From now on notifies this holder when the journal has moved, until its answer is that it waits no more. */
    void waits(PublisherName.Holder holder) {
        waiting.add(holder);
    }

    /** Notifies the holders that wait for the journal, because the journal has moved. */
    public void journalMoved() {
        // Goes from the last to the first, because the last one takes the place of a holder that is removed.
        for (int i = waiting.size() - 1; i >= 0; i--) {
            if (!waiting.get(i).journalMoved()) {
                waiting.set(i, waiting.get(waiting.size() - 1));
                waiting.remove(waiting.size() - 1);
            }
        }
    }
}
