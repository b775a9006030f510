package dev.msgrelay.cluster;

import dev.msgrelay.cluster.ClusterNames.Name;
import dev.msgrelay.cluster.ClusterNodes.Node;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.server.config.ClusterConfig;
import dev.msgrelay.server.journal.format.EpochTable;
import dev.msgrelay.server.journal.format.JournalName;
import dev.msgrelay.server.stream.Orderer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.agrona.DirectBuffer;

/**
 * The state that all nodes have after the same part of the cluster's log: where the stream has got to, how far each
 * node's entries are in it ({@link ClusterNodes}), and the names of publishers ({@link ClusterNames}). Entries are
 * decided by this alone, so alike on each node.
 *
 * <pre>
 *   log of the cluster --batch--> entries of a node: sent before? dropped
 *                                   `-- RUN of a name: messages that it has given before? dropped --> rest: Output.run
 *                                   `-- CLAIM, LEAVE: ClusterNames
 * </pre>
 *
 * <p>The stream has one life after the other, each with its epoch. A later one begins where all nodes have been started
 * anew, as behind a backup that was put back on each: then the first batch of a leader's term is one of a process that
 * the log does not know. A batch of a process that it knows shows that the cluster has gone on. A single node that is
 * quicker than all others behind an election begins a life, too, by which nobody loses anything.
 *
 * <p>For one thread. It knows no clock but the log's, no random number, and goes through nothing without an order.
 */
final class ClusterState {
    /** Receiver of the decisions, on one node. */
    interface Output {
        /** The stream has an epoch from now on, and begins at {@link #position()} and {@link #sequence()}. */
        void begins();

        /** The stream goes on in another life, which begins at {@link #position()} and {@link #sequence()}. */
        void goesOn(EpochTable.Epoch life);

        /**
         * An entry with messages is in order.
         *
         * @param number of the entry's last message, by its name's count, or {@link Orderer#NONE}
         * @param sequence of that message or of a later one of its name
         * @param frames new messages of the entry: {@code length} bytes from {@code offset}; may be none
         */
        void run(Entry entry, long number, long sequence, DirectBuffer frames, int offset, int length);

        /** A claim was decided. {@code refusal} is null where the name was given. */
        void claimed(Entry entry, String name, CloseReason refusal, String text, long accepted, long sequence);

        /** The name has no connection at any node but the entry's: connections elsewhere have lost it. */
        void takenFromOthers(Entry entry, String name);

        /** An entry is in order and has no other effect. */
        void withoutEffect(Entry entry);
    }

    /** Identity of an entry: its number, in one life of a node. */
    record Entry(int node, long life, long number) {}

    /** Lives that are remembered at most. */
    private static final int MOST_LIVES = 1024;

    private final String clusterName;
    private final long cluster;
    private final Set<Integer> members;
    private final Batch entry = new Batch();
    private final ClusterNodes nodes = new ClusterNodes();
    private final ClusterNames names;
    private final SnapshotText snapshot;
    private final List<EpochTable.Epoch> lives = new ArrayList<>();
    // Whether a term has begun and no batch has come since.
    private boolean termIsFresh;
    private int maxBody;
    private long position;
    private long sequence = 1;
    private long duplicates;

    /** @param members numbers of its nodes */
    ClusterState(String clusterName, Set<Integer> members, int mostNames) {
        this.clusterName = clusterName;
        this.cluster = idOf(clusterName);
        this.members = Set.copyOf(members);
        this.names = new ClusterNames(nodes, mostNames);
        this.snapshot = new SnapshotText(this, clusterName);
    }

    ClusterState(String clusterName, Set<Integer> members) {
        this(clusterName, members, JournalName.MOST);
    }

    /** Returns a number that stands for a cluster's name. */
    static long idOf(String name) {
        long id = 0xcbf29ce484222325L;
        for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
            id = (id ^ b & 0xFF) * 0x100000001b3L;
        }
        return id;
    }

    // ---- the cluster's log ---------------------------------------------------------------------------------------

    /**
     * A batch is in order.
     *
     * @param session of the cluster that the batch came by: later ones have higher numbers
     * @param millis of the leader's clock
     * @return why all nodes alike pass over the batch: it is of another version, of another cluster, or broken; null:
     *     it counts
     */
    String batch(long session, long millis, DirectBuffer from, int offset, int length, Output output) {
        String foreign = foreign(from, offset, length);
        if (foreign != null) {
            return foreign;
        }
        nodes.advanceTo(millis);
        int number = from.getInt(offset + Batch.NODE_OFFSET);
        long life = from.getLong(offset + Batch.LIFE_OFFSET);
        if (lives.isEmpty()) {
            addLife(from.getLong(offset + Batch.EPOCH_OFFSET), millis);
            maxBody = from.getInt(offset + Batch.BODY_OFFSET);
            output.begins();
        }
        Node node = nodes.of(number);
        if (session < node.session) {
            // The batch is of a life of the node that is over, or of a connection that the node has given up.
            return null;
        }
        node.session = session;
        if (termIsFresh && life != node.life && from.getInt(offset + Batch.LIVES_OFFSET) == 1) {
            goOnAnew(from.getLong(offset + Batch.EPOCH_OFFSET), millis, output);
        }
        termIsFresh = false;
        if (life != node.life) {
            node.life = life;
            node.entry = 0;
            names.endConnections(number);
        }
        node.leftMillis = ClusterNodes.CONNECTED;
        for (int at = offset + Batch.HEADER_LENGTH; at < offset + length; at += Batch.lengthAt(from, at)) {
            entry.wrap(from, at);
            // An entry that was sent again is there already; one behind a gap is sent again.
            if (entry.number() == node.entry + 1) {
                node.entry++;
                apply(new Entry(number, life, node.entry), output);
            }
        }
        return null;
    }

    private void goOnAnew(long epoch, long millis, Output output) {
        // The first life may be this batch's own.
        if (epoch() != epoch) {
            output.goesOn(addLife(epoch, millis));
        }
    }

    private EpochTable.Epoch addLife(long epoch, long millis) {
        EpochTable.Epoch life = new EpochTable.Epoch(epoch, position, sequence, millis);
        lives.add(life);
        if (lives.size() > MOST_LIVES) {
            lives.remove(0);
        }
        return life;
    }

    void termBegins() {
        termIsFresh = true;
    }

    private String foreign(DirectBuffer from, int offset, int length) {
        // Another version may have a header of another length.
        int version = length < Integer.BYTES ? 0 : from.getInt(offset);
        if (version != Batch.VERSION) {
            return "a batch of version " + version + ": this node understands version " + Batch.VERSION;
        }
        if (length < Batch.HEADER_LENGTH) {
            return "a batch of " + length + " bytes, and its header alone has " + Batch.HEADER_LENGTH;
        }
        long other = from.getLong(offset + Batch.CLUSTER_OFFSET);
        if (other != cluster) {
            return "a batch of node " + from.getInt(offset + Batch.NODE_OFFSET) + " of another cluster than "
                    + clusterName;
        }
        int number = from.getInt(offset + Batch.NODE_OFFSET);
        if (!members.contains(number)) {
            return "a batch of node " + number + ", which is not among the members " + new TreeSet<>(members);
        }
        int longest = from.getInt(offset + Batch.BODY_OFFSET);
        boolean possible = lives.isEmpty() ? longest >= 0 && longest <= ClusterConfig.MOST_BODY : longest == maxBody;
        if (!possible || from.getLong(offset + Batch.EPOCH_OFFSET) == 0) {
            return "a batch of node " + number + " with what the stream does not begin with";
        }
        // All entries before any of them counts: one without a length would have no end.
        for (int at = offset + Batch.HEADER_LENGTH; at < offset + length; at += Batch.lengthAt(from, at)) {
            if (!Batch.isSound(from, at, offset + length - at, longest)) {
                return "a batch of node " + number + " with what is no entry";
            }
        }
        return null;
    }

    private void apply(Entry whose, Output output) {
        switch (entry.kind()) {
            case RUN -> run(whose, output);
            case CLAIM -> names.claim(whose, entry.name(), entry.producer(), entry.owner(), output);
            case LEAVE -> {
                names.endConnection(entry.name(), entry.producer(), whose.node);
                output.withoutEffect(whose);
            }
            case PADDING -> throw new IllegalStateException("padding in a batch of node " + whose.node);
        }
    }

    private void run(Entry whose, Output output) {
        if (!entry.hasName()) {
            append(whose, null, 0, output);
            return;
        }
        Name name = names.connected(entry.name(), entry.producer(), whose.node);
        if (name == null) {
            // The connection has lost the name, and ends. Some of what it had under way may have come too late, so
            // the rest does not count either.
            output.run(whose, Orderer.NONE, 0, entry.bytes(), 0, 0);
            return;
        }
        if (name.keepOnly(whose.node)) {
            output.takenFromOthers(whose, entry.name());
        }
        long last = entry.first() + entry.messages() - 1;
        long before = name.accepted == Orderer.NONE ? 0 : Math.max(0, name.accepted + 1 - entry.first());
        int skipped = (int) Math.min(before, entry.messages());
        duplicates += skipped;
        if (skipped < entry.messages()) {
            name.accepted = last;
            name.sequence = sequence + entry.messages() - skipped - 1;
        }
        append(whose, name, skipped, output);
    }

    private void append(Entry whose, Name name, int skipped, Output output) {
        int at = entry.framesAt();
        int end = at + entry.frameBytes();
        for (int i = 0; i < skipped; i++) {
            at += FrameLayout.frameLength(entry.bytes().getInt(at + FrameLayout.LENGTH_OFFSET, ByteOrder.BIG_ENDIAN));
        }
        output.run(
                whose,
                // Another connection may have got further with the name. This one counts on from the number it is told.
                name == null ? Orderer.NONE : entry.first() + entry.messages() - 1,
                name == null ? 0 : name.sequence,
                entry.bytes(),
                at,
                end - at);
        position += end - at;
        sequence += entry.messages() - skipped;
    }

    /** A connection of the cluster has ended: its node is away, unless it has a later connection. */
    void sessionClosed(long session, long millis) {
        nodes.advanceTo(millis);
        nodes.sessionClosed(session);
    }

    // ---- figures ---------------------------------------------------------------------------------------------------

    /** Epoch of the stream's present life; 0: no batch has come yet. */
    long epoch() {
        return lives.isEmpty() ? 0 : lives.get(lives.size() - 1).epoch();
    }

    /** The lives of the stream so far, the first one first; its place so far is what the table has as forced. */
    EpochTable lives() {
        return new EpochTable(lives, position, sequence);
    }

    /** Whether the next batch is the first one of a leader's term. */
    boolean termIsFresh() {
        return termIsFresh;
    }

    /** Longest body of the stream's messages: the one of the node that gave the first epoch. */
    int maxBody() {
        return maxBody;
    }

    /** Bytes of the stream so far. */
    long position() {
        return position;
    }

    /** Sequence of the next message. */
    long sequence() {
        return sequence;
    }

    /** Messages that names gave more than once, since this object was made. */
    long duplicates() {
        return duplicates;
    }

    int names() {
        return names.size();
    }

    // ---- snapshots -----------------------------------------------------------------------------------------------

    List<String> save() {
        return snapshot.lines();
    }

    /**
     * Restores the state from one line of {@link #save}; they come in its order.
     *
     * @return whether it was the last line
     * @throws IllegalStateException the line is none of a snapshot, or of another version or cluster
     */
    boolean load(String line) {
        return snapshot.restore(line);
    }

    ClusterNodes nodes() {
        return nodes;
    }

    ClusterNames table() {
        return names;
    }

    /** @param itsTermIsFresh see {@link #termIsFresh()}; lives are restored behind that */
    void restore(boolean itsTermIsFresh, int itsMaxBody, long itsPosition, long itsSequence) {
        termIsFresh = itsTermIsFresh;
        maxBody = itsMaxBody;
        position = itsPosition;
        sequence = itsSequence;
    }

    void restore(EpochTable.Epoch life) {
        lives.add(life);
    }
}
