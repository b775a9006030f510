package dev.msgrelay.cluster;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.config.ClusterConfig;
import dev.msgrelay.server.core.Orderer;
import dev.msgrelay.server.ingest.NameTable;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.agrona.DirectBuffer;

/**
 * What all nodes know of the stream after the same part of the cluster's log: where it has got to, how far each node's entries
 * are in it, and the names of publishers. What an entry does is decided by this alone, so it is the same on each node.
 *
 * <pre>
 *   log of the cluster --batch--> entries of a node: sent before? dropped
 *                                   `-- RUN of a name: messages that it has given before? dropped --> rest: Output.run
 *                                   `-- CLAIM, LEAVE: whose the name is
 * </pre>
 *
 * One thread. It knows no clock and no random number.
 */
final class ClusterState {
    /** As long a name stays with its producer after its connection has ended. */
    static final long NAME_HOLD_MILLIS = ClusterConfig.NAME_HOLD.toMillis();

    /** An unconnected name is kept for at least so long. */
    static final long NAME_KEEP_MILLIS = TimeUnit.HOURS.toMillis(1);

    private static final long CONNECTED = Long.MAX_VALUE;

    /** What comes out of it on a node. */
    interface Output {
        /** The stream has an epoch from now on, and begins at {@link #position()} and {@link #sequence()}. */
        void begins();

        /**
         * An entry with messages is in order.
         *
         * @param entry see {@link #own}
         * @param number of the entry's last message, by its name's count, or {@link Orderer#NONE}
         * @param sequence that this message has or is before
         * @param frames what is new of it: {@code length} bytes from {@code offset}; may be nothing
         */
        void run(Entry entry, long number, long sequence, DirectBuffer frames, int offset, int length);

        /** A claim was decided. {@code refusal} is null where the name was given. */
        void claimed(Entry entry, String name, CloseReason refusal, String text, long accepted, long sequence);

        /** The name has no connection at any node but the entry's: those there have lost it. */
        void taken(Entry entry, String name);

        /** An entry has no other effect here than that it is in order. */
        void done(Entry entry);
    }

    /** Whose entry it is. */
    record Entry(int node, long life, long number) {}

    /** How far a node's entries are in the stream. */
    static final class Node {
        long session;
        long life;
        long entry;
        // When it lost its connection to the cluster. It may come back, and its publishers with it.
        long leftMillis = CONNECTED;
    }

    /** A name. */
    static final class Name {
        ProducerId producer;
        String owner;
        // NONE: nothing was taken of it.
        long accepted = Orderer.NONE;
        long sequence;
        // Where it has connections, the newest one last: several, until the newest has given a message or the older
        // ones
        // have ended. A publisher that was not answered in time has gone on to another node, and its claim comes into
        // order later than its newer one.
        final List<Integer> nodes = new ArrayList<>(1);
        // When the last one of those that have ended did.
        long leftMillis;

        Name(ProducerId producer, String owner) {
            this.producer = producer;
            this.owner = owner;
        }
    }

    /** A name that may be forgotten, as it was when it was found. */
    private record Old(String text, Name name, long leftMillis) {}

    private static final Pattern NUMBERS = Pattern.compile(",");

    private final String clusterName;
    private final long cluster;
    private final Set<Integer> members;
    private final int mostNames;
    private final Batch entry = new Batch();
    private final Map<Integer, Node> nodes = new TreeMap<>();
    private final Map<String, Name> names = new LinkedHashMap<>();
    private long epoch;
    private int maxBody;
    private long position;
    private long sequence = 1;
    private long duplicates;
    // The cluster's clock as it was told last, and what has passed by it: another leader's may be behind.
    private long toldMillis;
    private long passedMillis;
    // Names that were away for long when they were looked for, the oldest first, and when there may be more. What comes
    // of
    // a claim is the same without.
    private final ArrayDeque<Old> oldest = new ArrayDeque<>();
    private long nextOldMillis;
    // Of a snapshot that is being loaded.
    private int linesLeft;

    /** @param members numbers of its nodes */
    ClusterState(String clusterName, Set<Integer> members, int mostNames) {
        this.clusterName = clusterName;
        this.cluster = idOf(clusterName);
        this.members = Set.copyOf(members);
        this.mostNames = mostNames;
    }

    ClusterState(String clusterName, Set<Integer> members) {
        this(clusterName, members, NameTable.MAX_NAMES);
    }

    /** A number that stands for a cluster's name. */
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
     * @param session of the cluster that it came by: later ones have higher numbers
     * @param millis of the cluster's clock
     * @return why it is passed over, by all nodes alike: it is of another version, of another cluster, or broken; null: it is
     *     not
     */
    String batch(long session, long millis, DirectBuffer from, int offset, int length, Output output) {
        String foreign = foreign(from, offset, length);
        if (foreign != null) {
            return foreign;
        }
        tell(millis);
        int number = from.getInt(offset + Batch.NODE_OFFSET);
        long life = from.getLong(offset + Batch.LIFE_OFFSET);
        if (epoch == 0) {
            epoch = from.getLong(offset + Batch.EPOCH_OFFSET);
            maxBody = from.getInt(offset + Batch.BODY_OFFSET);
            output.begins();
        }
        Node node = nodes.computeIfAbsent(number, n -> new Node());
        if (session < node.session) {
            // Of a life of the node that is over, or of a connection that it has given up.
            return null;
        }
        node.session = session;
        if (life != node.life) {
            node.life = life;
            node.entry = 0;
            names.values().removeIf(name -> isOver(name, number));
        }
        node.leftMillis = CONNECTED;
        for (int at = offset + Batch.HEADER_LENGTH; at < offset + length; at += Batch.lengthAt(from, at)) {
            entry.wrap(from, at);
            // One that was sent again is there already; one behind a gap is sent again.
            if (entry.number() == node.entry + 1) {
                node.entry++;
                apply(new Entry(number, life, node.entry), output);
            }
        }
        return null;
    }

    private void tell(long millis) {
        passedMillis += Math.max(0, millis - toldMillis);
        toldMillis = millis;
    }

    private String foreign(DirectBuffer from, int offset, int length) {
        // Of another version the header may have another length.
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
        boolean possible = epoch == 0 ? longest >= 0 && longest <= ClusterConfig.MOST_BODY : longest == maxBody;
        if (!possible || from.getLong(offset + Batch.EPOCH_OFFSET) == 0) {
            return "a batch of node " + number + " with what the stream does not begin with";
        }
        // All of it before any of it counts: an entry without a length would have no end.
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
            case CLAIM -> claim(whose, output);
            case LEAVE -> {
                Name name = names.get(entry.name());
                if (name != null && name.producer.equals(entry.producer()) && isOver(name, whose.node)) {
                    names.remove(entry.name());
                }
                output.done(whose);
            }
            case PADDING -> throw new IllegalStateException("padding in a batch of node " + whose.node);
        }
    }

    private void run(Entry whose, Output output) {
        if (!entry.hasName()) {
            emit(whose, null, 0, output);
            return;
        }
        Name name = names.get(entry.name());
        if (name == null || !name.producer.equals(entry.producer()) || !name.nodes.contains(whose.node)) {
            // Its connection has lost the name, and ends: of what it had under way some may have come too late, so the
            // rest does not count either.
            output.run(whose, Orderer.NONE, 0, entry.bytes(), 0, 0);
            return;
        }
        if (name.nodes.size() > 1 && newest(name) == whose.node) {
            name.nodes.retainAll(List.of(whose.node));
            output.taken(whose, entry.name());
        }
        long last = entry.first() + entry.messages() - 1;
        long before = name.accepted == Orderer.NONE ? 0 : Math.max(0, name.accepted + 1 - entry.first());
        int skipped = (int) Math.min(before, entry.messages());
        duplicates += skipped;
        if (skipped < entry.messages()) {
            name.accepted = last;
            name.sequence = sequence + entry.messages() - skipped - 1;
        }
        emit(whose, name, skipped, output);
    }

    private void emit(Entry whose, Name name, int skipped, Output output) {
        int at = entry.framesAt();
        int end = at + entry.frameBytes();
        for (int i = 0; i < skipped; i++) {
            at += FrameLayout.frameLength(entry.bytes().getInt(at + FrameLayout.LENGTH_OFFSET, ByteOrder.BIG_ENDIAN));
        }
        output.run(
                whose,
                // The name may have got further by another connection. This one counts on from what it is told.
                name == null ? Orderer.NONE : entry.first() + entry.messages() - 1,
                name == null ? 0 : name.sequence,
                entry.bytes(),
                at,
                end - at);
        position += end - at;
        sequence += entry.messages() - skipped;
    }

    // ---- names -------------------------------------------------------------------------------------------------

    private void claim(Entry whose, Output output) {
        String text = entry.name();
        ProducerId producer = entry.producer();
        String owner = entry.owner();
        Name name = names.get(text);
        long away = name == null ? 0 : passedMillis - left(name);
        if (name != null && !owner.isEmpty() && !name.owner.isEmpty() && !name.owner.equals(owner)) {
            if (away < NAME_KEEP_MILLIS) {
                refuse(whose, text, CloseReason.NAME_HELD, "belongs to another identity", output);
                return;
            }
            lose(whose, text, name, output);
            names.remove(text);
            name = null;
        }
        if (name == null) {
            if (names.size() >= mostNames && !forgetOldest(whose, output)) {
                output.claimed(
                        whose,
                        text,
                        CloseReason.TOO_MANY_NAMES,
                        "HELLO: " + mostNames + " names are known already, which is the limit",
                        Orderer.NONE,
                        0);
                return;
            }
            name = new Name(producer, owner);
            names.put(text, name);
        } else if (!name.producer.equals(producer)) {
            if (away < NAME_HOLD_MILLIS) {
                String why = left(name) == CONNECTED
                        ? "has a connection at node " + newest(name)
                        : "may come back for another " + (NAME_HOLD_MILLIS - away) + " ms";
                refuse(whose, text, CloseReason.NAME_HELD, "belongs to another producer, which " + why, output);
                return;
            }
            lose(whose, text, name, output);
            name.producer = producer;
            name.accepted = Orderer.NONE;
            name.sequence = 0;
        }
        name.nodes.remove((Integer) whose.node);
        name.nodes.add(whose.node);
        if (!owner.isEmpty()) {
            name.owner = owner;
        }
        output.claimed(whose, text, null, "", name.accepted, name.sequence);
    }

    private static void refuse(Entry whose, String name, CloseReason reason, String why, Output output) {
        output.claimed(whose, name, reason, "HELLO: the name " + name + " " + why, Orderer.NONE, 0);
    }

    private boolean forgetOldest(Entry whose, Output output) {
        while (true) {
            if (oldest.isEmpty() && passedMillis >= nextOldMillis) {
                findOldest();
            }
            Old old = oldest.pollFirst();
            if (old == null) {
                return false;
            }
            // A name that has moved since is not old any more.
            if (names.get(old.text) == old.name && left(old.name) == old.leftMillis) {
                lose(whose, old.text, names.remove(old.text), output);
                return true;
            }
        }
    }

    /** Finds all that may be forgotten at once: the table is too long to be gone through for each. */
    private void findOldest() {
        List<Old> found = new ArrayList<>();
        long next = passedMillis;
        for (Map.Entry<String, Name> known : names.entrySet()) {
            long left = left(known.getValue());
            if (passedMillis - left >= NAME_KEEP_MILLIS) {
                found.add(new Old(known.getKey(), known.getValue(), left));
            } else {
                next = Math.min(next, left);
            }
        }
        found.sort(Comparator.comparingLong(Old::leftMillis));
        oldest.addAll(found);
        nextOldMillis = next + NAME_KEEP_MILLIS;
    }

    private static int newest(Name name) {
        return name.nodes.get(name.nodes.size() - 1);
    }

    /** When its last connection ended; one at a node that is away has ended when the node left. */
    private long left(Name name) {
        long left = name.leftMillis;
        for (int number : name.nodes) {
            left = Math.max(left, nodes.get(number).leftMillis);
        }
        return left;
    }

    /** Its connections at nodes that are away have lost it, which these hear when they are back. */
    private static void lose(Entry whose, String text, Name name, Output output) {
        if (!name.nodes.isEmpty()) {
            name.nodes.clear();
            output.taken(whose, text);
        }
    }

    /** Its connection at a node has ended; answers whether it is to be forgotten, as bare HELLOs are: to be unknown is the same. */
    private boolean isOver(Name name, int number) {
        if (!name.nodes.remove((Integer) number)) {
            return false;
        }
        name.leftMillis = Math.max(name.leftMillis, Math.min(passedMillis, nodes.get(number).leftMillis));
        return name.nodes.isEmpty() && name.accepted == Orderer.NONE;
    }

    /** A connection of the cluster has ended: unless its node has a later one, the node is away. */
    void sessionClosed(long session, long millis) {
        tell(millis);
        for (Node node : nodes.values()) {
            if (node.session == session) {
                node.leftMillis = passedMillis;
            }
        }
    }

    // ---- what it knows -------------------------------------------------------------------------------------------

    /** 0: nothing has come yet. */
    long epoch() {
        return epoch;
    }

    /** Of the stream's messages: what the node had that gave the epoch. */
    int maxBody() {
        return maxBody;
    }

    /** Bytes of the stream so far. */
    long position() {
        return position;
    }

    /** The number of the next message. */
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

    /** All of it, as texts of lines, so that what is on a disk can be read by people. */
    List<String> save() {
        List<String> lines = new ArrayList<>();
        lines.add(String.join(
                " ",
                "state",
                Integer.toString(Batch.VERSION),
                Long.toString(cluster),
                Long.toString(epoch),
                Long.toString(position),
                Long.toString(sequence),
                Integer.toString(nodes.size()),
                Integer.toString(names.size()),
                Long.toString(toldMillis),
                Long.toString(passedMillis),
                Integer.toString(maxBody)));
        nodes.forEach((number, node) -> lines.add(String.join(
                " ", "node", "" + number, "" + node.session, "" + node.life, "" + node.entry, "" + node.leftMillis)));
        names.forEach((text, name) -> lines.add(String.join(
                " ",
                "name",
                "" + name.producer.high(),
                "" + name.producer.low(),
                "" + name.accepted,
                "" + name.sequence,
                name.nodes.stream().map(String::valueOf).collect(Collectors.joining(",")),
                "" + name.leftMillis,
                hex(text),
                hex(name.owner))));
        return lines;
    }

    /**
     * Takes one line of {@link #save}, in their order; answers whether it was the last one.
     *
     * @throws IllegalStateException it is no such line, or of another version or cluster
     */
    boolean load(String line) {
        String[] words = line.split(" ", -1);
        switch (words[0]) {
            case "state" -> {
                if (Integer.parseInt(words[1]) != Batch.VERSION) {
                    throw new IllegalStateException("the snapshot of cluster " + clusterName + " is of version "
                            + words[1] + ", and this node understands version " + Batch.VERSION);
                }
                if (Long.parseLong(words[2]) != cluster) {
                    throw new IllegalStateException("the snapshot is of another cluster than " + clusterName);
                }
                epoch = Long.parseLong(words[3]);
                position = Long.parseLong(words[4]);
                sequence = Long.parseLong(words[5]);
                linesLeft = Integer.parseInt(words[6]) + Integer.parseInt(words[7]);
                toldMillis = Long.parseLong(words[8]);
                passedMillis = Long.parseLong(words[9]);
                maxBody = Integer.parseInt(words[10]);
            }
            case "node" -> {
                Node node = new Node();
                node.session = Long.parseLong(words[2]);
                node.life = Long.parseLong(words[3]);
                node.entry = Long.parseLong(words[4]);
                node.leftMillis = Long.parseLong(words[5]);
                nodes.put(Integer.valueOf(words[1]), node);
                linesLeft--;
            }
            case "name" -> {
                Name name =
                        new Name(new ProducerId(Long.parseLong(words[1]), Long.parseLong(words[2])), text(words[8]));
                name.accepted = Long.parseLong(words[3]);
                name.sequence = Long.parseLong(words[4]);
                NUMBERS.splitAsStream(words[5])
                        .filter(number -> !number.isEmpty())
                        .map(Integer::valueOf)
                        .forEach(name.nodes::add);
                name.leftMillis = Long.parseLong(words[6]);
                names.put(text(words[7]), name);
                linesLeft--;
            }
            default -> throw new IllegalStateException("the snapshot has a line that begins with " + words[0]);
        }
        return linesLeft == 0;
    }

    private static String hex(String text) {
        return HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(String hex) {
        return new String(HexFormat.of().parseHex(hex), StandardCharsets.UTF_8);
    }
}
