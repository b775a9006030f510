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
 * The state that all nodes have after the same part of the cluster's log: the end of the stream, the last entry of each
 * node ({@link ClusterNodes}), and the names of publishers ({@link ClusterNames}). It alone determines the decisions,
 * so all nodes decide alike.
 *
 * <pre>
 *   log of the cluster --batch--> entries of a node: sent before? dropped
 *                                   `-- RUN of a name: messages that it has given before? dropped --> rest: Output.run
 *                                   `-- CLAIM, LEAVE: ClusterNames
 * </pre>
 *
 * <p>The stream has several lives, each with its epoch. A new life begins when all nodes were restarted, for example
 * from a backup. The sign is the first batch of a leader's term: it is of a process that the log does not know. A batch
 * of a known process shows that the cluster has gone on. After an election, the first batch may be of the only
 * restarted node, and begins a life, too. That does no harm.
 *
 * <p>For one thread. It uses no clock but the log's, no random number, and no collection without an order.
 */
final class ClusterState {
    /** Receiver of the decisions, on one node. */
    interface Output {
        /** The stream begins: it has its first life. */
        void begins();

        /** The stream goes on in another life. */
        void goesOn(EpochTable.Epoch life);

        /**
         * An entry with messages is ordered.
         *
         * @param number number of the entry's last message, as its publisher counts, or {@link Orderer#NONE}
         * @param sequence sequence of that message, or of a later one by the same name
         * @param frames the entry's new messages, {@code length} bytes from {@code offset}; may be none
         */
        void run(Entry entry, long number, long sequence, DirectBuffer frames, int offset, int length);

        /** @param refusal null: the claim is granted */
        void claimed(Entry entry, String name, CloseReason refusal, String text, long accepted, long sequence);

        /** Only connections at the entry's node still have the name: those at other nodes have lost it. */
        void takenFromOthers(Entry entry, String name);

        /** An entry is ordered, and has no other effect. */
        void withoutEffect(Entry entry);
    }

    /** The place of an entry: its number in one life of a node. */
    record Entry(int node, long life, long number) {}

    private static final int MOST_LIVES = 1024;

    private final String clusterName;
    private final long cluster;
    private final Set<Integer> members;
    private final Batch entry = new Batch();
    private final ClusterNodes nodes = new ClusterNodes();
    private final ClusterNames names;
    private final SnapshotText snapshot;
    private final List<EpochTable.Epoch> lives = new ArrayList<>();
    private boolean termIsFresh;
    private int maxBody;
    private long position;
    private long sequence = 1;
    private long duplicates;

    /** @param members numbers of the nodes */
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

    /** A hash of a cluster's name. */
    static long idOf(String name) {
        long id = 0xcbf29ce484222325L;
        for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
            id = (id ^ b & 0xFF) * 0x100000001b3L;
        }
        return id;
    }

    /**
     * Applies the next batch of the cluster's log.
     *
     * @param session number of the cluster's session that brought the batch; later sessions have higher numbers
     * @param millis time of the leader's clock
     * @return the reason for which all nodes ignore the batch: another version, another cluster, or damage; null: the
     *     batch is applied
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
            // The batch is of an earlier life of the node, or of a connection that the node has closed.
            return null;
        }
        node.session = session;
        long epoch = from.getLong(offset + Batch.EPOCH_OFFSET);
        boolean restarted = termIsFresh && life != node.life && from.getInt(offset + Batch.LIVES_OFFSET) == 1;
        // The first life may be this batch's own.
        if (restarted && epoch() != epoch) {
            output.goesOn(addLife(epoch, millis));
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
            // An earlier entry was sent twice. An entry after a gap will be sent again.
            if (entry.number() == node.entry + 1) {
                node.entry++;
                apply(new Entry(number, life, node.entry), output);
            }
        }
        return null;
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
        // All entries are checked before the first one is applied.
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
            // The connection has lost the name, and ends. Some of its messages may have been dropped already, so the
            // rest is dropped, too.
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
                // Another connection of the name may have sent later messages. This one gets the number of its own.
                name == null ? Orderer.NONE : entry.first() + entry.messages() - 1,
                name == null ? 0 : name.sequence,
                entry.bytes(),
                at,
                end - at);
        position += end - at;
        sequence += entry.messages() - skipped;
    }

    /** Applies the end of a session: its node is away, unless it has a later session. */
    void sessionClosed(long session, long millis) {
        nodes.advanceTo(millis);
        nodes.sessionClosed(session);
    }

    /** Epoch of the stream's present life; 0: there was no batch yet. */
    long epoch() {
        return lives.isEmpty() ? 0 : lives.get(lives.size() - 1).epoch();
    }

    /** The lives of the stream, in their order, and as the table's forced position the end of the stream. */
    EpochTable lives() {
        return new EpochTable(lives, position, sequence);
    }

    /** Whether the next batch is the first one of a term. */
    boolean termIsFresh() {
        return termIsFresh;
    }

    /** Longest body of a message: the setting of the node that began the stream. */
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

    /** Messages that were dropped as duplicates, since this object was made. */
    long duplicates() {
        return duplicates;
    }

    int names() {
        return names.size();
    }

    List<String> save() {
        return snapshot.lines();
    }

    /**
     * Restores the state from the next line of {@link #save}.
     *
     * @return whether it was the last line
     * @throws IllegalStateException the line is not of a snapshot, or of another version or cluster
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

    /** Restores all but the lives. */
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
