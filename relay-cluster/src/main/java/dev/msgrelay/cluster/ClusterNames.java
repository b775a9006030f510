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
 * The names of publishers in a cluster: the producer of each name, the nodes with its connections, and its last message
 * in the stream. {@link NameRules} decides; times are by the clock of {@link ClusterNodes}. For one thread.
 */
final class ClusterNames {
    /** Time for which a name is reserved for its producer after its last connection has ended. */
    static final long HOLD_MILLIS = ClusterConfig.NAME_HOLD.toMillis();

    /** Least time for which a name without a connection is remembered. */
    static final long KEEP_MILLIS = NameRules.KEEP.toMillis();

    static final class Name {
        ProducerId producer;
        String owner;
        // Number of the last message in the stream; NONE: there is none.
        long accepted = Orderer.NONE;
        long sequence;
        // Nodes with a connection, the newest connection last. A publisher without a timely answer goes on to another
        // node, and the claim of its older connection may be ordered after the newer one. So there may be several
        // connections, until the newest has sent a message.
        final List<Integer> nodes = new ArrayList<>(1);
        // Time at which the last ended connection ended.
        long leftMillis;

        Name(ProducerId producer, String owner) {
            this.producer = producer;
            this.owner = owner;
        }

        private int newest() {
            return nodes.get(nodes.size() - 1);
        }

        /** Removes older connections if the newest one is at this node. Returns whether there were any. */
        boolean keepOnly(int node) {
            boolean older = nodes.size() > 1 && newest() == node;
            if (older) {
                nodes.retainAll(List.of(node));
            }
            return older;
        }
    }

    private record Old(String text, Name name, long leftMillis) {}

    private final ClusterNodes nodes;
    private final int most;
    private final NameRules rules = new NameRules(TimeUnit.MILLISECONDS, HOLD_MILLIS);
    // In the order of their first claims, for snapshots.
    private final Map<String, Name> names = new LinkedHashMap<>();
    // Names that may be forgotten, the oldest first, and the time of the next search. The result of a claim does not
    // depend on the times of searches.
    private final ArrayDeque<Old> oldest = new ArrayDeque<>();
    private long nextOldMillis;

    /** @param most names at once */
    ClusterNames(ClusterNodes nodes, int most) {
        this.nodes = nodes;
        this.most = most;
    }

    /** The name, if this producer has it and it has a connection at this node; otherwise null. */
    Name connected(String text, ProducerId producer, int node) {
        Name name = names.get(text);
        return name != null && name.producer.equals(producer) && name.nodes.contains(node) ? name : null;
    }

    /** Decides on the claim of a connection at the entry's node. */
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
            // A name that was used since then is not old any more.
            if (names.get(old.text) == old.name && leftMillis(old.name) == old.leftMillis) {
                lose(entry, old.text, names.remove(old.text), output);
                return true;
            }
        }
    }

    /** Finds all names that may be forgotten: the table is too long for a search by each claim. */
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

    /** Time at which the name's last connection ended. The leave of a node ends its connections. */
    private long leftMillis(Name name) {
        long left = name.leftMillis;
        for (int number : name.nodes) {
            left = Math.max(left, nodes.leftMillis(number));
        }
        return left;
    }

    /** Takes the name from its connections. Those at nodes that are away learn it when their nodes are back. */
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
     * @return whether the name is to be forgotten, since it has no message and no other connection
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

    void forEach(BiConsumer<String, Name> action) {
        names.forEach(action);
    }

    void restore(String text, Name name) {
        names.put(text, name);
    }
}
