package dev.msgrelay.cluster;

import dev.msgrelay.cluster.ClusterState.Entry;
import dev.msgrelay.cluster.ClusterState.Output;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.config.ClusterConfig;
import dev.msgrelay.server.producers.NameRules;
import dev.msgrelay.server.producers.NameRules.Verdict;
import dev.msgrelay.server.stream.Orderer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * The names of publishers in a cluster: which producer has each, at which nodes it has connections, and how far its
 * messages are in the stream. {@link NameRules} decides; times are by the clock of {@link ClusterNodes}.
 *
 * <p>For one thread.
 */
final class ClusterNames {
    /** Time for which a name stays with its producer after its connection has ended. */
    static final long HOLD_MILLIS = ClusterConfig.NAME_HOLD.toMillis();

    /** Shortest time for which an unconnected name is kept. */
    static final long KEEP_MILLIS = NameRules.KEEP.toMillis();

    static final class Name {
        ProducerId producer;
        String owner;
        // Number of the last message that was taken; NONE: there was none.
        long accepted = Orderer.NONE;
        long sequence;
        // Nodes with a connection, the newest connection last. There are several until the newest has given a message
        // or the older ones have ended: a publisher that got no answer in time has gone on to another node, and its
        // claim comes into order behind the newer one.
        final List<Integer> nodes = new ArrayList<>(1);
        // Time at which the last one of the connections that have ended did.
        long leftMillis;

        Name(ProducerId producer, String owner) {
            this.producer = producer;
            this.owner = owner;
        }

        private int newest() {
            return nodes.get(nodes.size() - 1);
        }

        /**
         * Takes the name from older connections, where the newest one is at this node; returns whether there were any.
         */
        boolean keepOnly(int node) {
            boolean older = nodes.size() > 1 && newest() == node;
            if (older) {
                nodes.retainAll(List.of(node));
            }
            return older;
        }
    }

    /** A name that may be forgotten, as it was when it was found. */
    private record Old(String text, Name name, long leftMillis) {}

    private final ClusterNodes nodes;
    private final int most;
    private final NameRules rules = new NameRules(TimeUnit.MILLISECONDS, HOLD_MILLIS);
    // Ordered by the time at which each became known: snapshots list them so.
    private final Map<String, Name> names = new LinkedHashMap<>();
    // Names that were away for long when they were looked for, the oldest first, and the time at which there may be
    // more. The outcome of a claim does not depend on when that was.
    private final ArrayDeque<Old> oldest = new ArrayDeque<>();
    private long nextOldMillis;

    /** @param most names at once */
    ClusterNames(ClusterNodes nodes, int most) {
        this.nodes = nodes;
        this.most = most;
    }

    /** Returns the name if this producer has it with a connection at this node; otherwise null. */
    Name connected(String text, ProducerId producer, int node) {
        Name name = names.get(text);
        return name != null && name.producer.equals(producer) && name.nodes.contains(node) ? name : null;
    }

    /** A connection at the entry's node asks for a name. */
    void claim(Entry entry, String text, ProducerId producer, String owner, Output output) {
        Name name = names.get(text);
        long away = name == null ? 0 : away(name);
        Verdict verdict =
                name == null ? Verdict.BEGINS : rules.decide(name.producer, name.owner, away, producer, owner);
        if (verdict.refuses()) {
            String where = away == NameRules.CONNECTED ? " at node " + name.newest() : "";
            String why = rules.refusal(verdict, text, away, where);
            output.claimed(entry, text, CloseReason.NAME_HELD, why, Orderer.NONE, 0);
            return;
        }
        if (name != null && verdict != Verdict.GOES_ON) {
            lose(entry, text, name, output);
        }
        if (verdict == Verdict.BEGINS) {
            names.remove(text);
            if (names.size() >= most && !forgetOldest(entry, output)) {
                String why = NameRules.tooMany(most);
                output.claimed(entry, text, CloseReason.TOO_MANY_NAMES, why, Orderer.NONE, 0);
                return;
            }
            name = new Name(producer, owner);
            names.put(text, name);
        } else if (verdict == Verdict.STARTS_ANEW) {
            name.producer = producer;
            name.accepted = Orderer.NONE;
            name.sequence = 0;
        }
        name.nodes.remove((Integer) entry.node());
        name.nodes.add(entry.node());
        if (!owner.isEmpty()) {
            name.owner = owner;
        }
        output.claimed(entry, text, null, "", name.accepted, name.sequence);
    }

    private boolean forgetOldest(Entry entry, Output output) {
        while (true) {
            if (oldest.isEmpty() && nodes.passedMillis() >= nextOldMillis) {
                findOldest();
            }
            Old old = oldest.pollFirst();
            if (old == null) {
                return false;
            }
            // A name that has moved since is not old any more.
            if (names.get(old.text) == old.name && leftMillis(old.name) == old.leftMillis) {
                lose(entry, old.text, names.remove(old.text), output);
                return true;
            }
        }
    }

    /** Finds all names that may be forgotten at once: the table is too long to be gone through for each. */
    private void findOldest() {
        List<Old> found = new ArrayList<>();
        long passed = nodes.passedMillis();
        long next = passed;
        for (Map.Entry<String, Name> known : names.entrySet()) {
            long left = leftMillis(known.getValue());
            if (rules.mayBeForgotten(passed - left)) {
                found.add(new Old(known.getKey(), known.getValue(), left));
            } else {
                next = Math.min(next, left);
            }
        }
        found.sort(Comparator.comparingLong(Old::leftMillis));
        oldest.addAll(found);
        nextOldMillis = next + KEEP_MILLIS;
    }

    private long away(Name name) {
        long left = leftMillis(name);
        return left == ClusterNodes.CONNECTED ? NameRules.CONNECTED : nodes.passedMillis() - left;
    }

    /**
     * Time at which the name's last connection ended; a connection at a node that is away has ended when the node left.
     */
    private long leftMillis(Name name) {
        long left = name.leftMillis;
        for (int number : name.nodes) {
            left = Math.max(left, nodes.leftMillis(number));
        }
        return left;
    }

    /** Takes the name from its connections at nodes that are away, which hear of it when they are back. */
    private static void lose(Entry entry, String text, Name name, Output output) {
        if (!name.nodes.isEmpty()) {
            name.nodes.clear();
            output.takenFromOthers(entry, text);
        }
    }

    void endConnection(String text, ProducerId producer, int node) {
        Name name = names.get(text);
        if (name != null && name.producer.equals(producer) && endsBare(name, node)) {
            names.remove(text);
        }
    }

    void endConnections(int node) {
        names.values().removeIf(name -> endsBare(name, node));
    }

    /**
     * Ends a name's connection at a node.
     *
     * @return whether the name had only HELLOs and is to be forgotten: an unknown name is worth the same
     */
    private boolean endsBare(Name name, int node) {
        if (!name.nodes.remove((Integer) node)) {
            return false;
        }
        name.leftMillis = Math.max(name.leftMillis, Math.min(nodes.passedMillis(), nodes.leftMillis(node)));
        return name.nodes.isEmpty() && name.accepted == Orderer.NONE;
    }

    int size() {
        return names.size();
    }

    // ---- for snapshots -------------------------------------------------------------------------------------------

    void forEach(BiConsumer<String, Name> action) {
        names.forEach(action);
    }

    void restore(String text, Name name) {
        names.put(text, name);
    }
}
