package dev.msgrelay.cluster;

import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.text.Sizes;
import dev.msgrelay.server.cli.HoconFile;
import dev.msgrelay.server.config.ClusterConfig;
import dev.msgrelay.server.config.StateConfig;
import dev.msgrelay.server.host.FleetingFiles;
import dev.msgrelay.server.host.SystemTree;
import io.aeron.logbuffer.FrameDescriptor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The block of a cluster, the same in the files of all nodes. Other settings in the file are the relay's own.
 *
 * <pre>
 *   cluster {
 *     name = orders
 *     directory = /var/lib/relay/cluster      # each node has a directory of its own in it: node-1
 *     members { 1 = "10.0.0.1:7410", 2 = "10.0.0.2:7410", 3 = "10.0.0.3:7410" }
 *     sync = 1                                # 0: a majority has a message in memory; 1: on its disks
 *     snapshot = 10m                          # interval of snapshots: the log before them is deleted
 *     snapshot-log = 1g                       # bytes of the log until a snapshot before its time
 *     mtu = 1408                              # bytes of a datagram between nodes
 *     shared = /dev/shm                       # file system in memory, for buffers
 *     secret-file = /etc/relay/cluster.secret # the nodes' secret; without it the network must keep strangers away
 *     state = 64m                             # --state of each node
 *     state-types = "1-99,500"                # --state-types of each node
 *   }
 * </pre>
 *
 * @param name the cluster's name: nodes with another one are refused
 * @param directory parent of the nodes' directories
 * @param shared a file system in memory, with room for {@link ClusterConfig#SHARED_BYTES}
 * @param secretFile file of the nodes' secret; empty: there is none
 * @param mtu most bytes of a datagram between nodes
 * @param sync whether a majority forces messages to its disks before they are committed
 * @param snapshot interval of snapshots
 * @param snapshotBytes bytes of the cluster's log until a snapshot before its time
 * @param state size of the memory for the state at each node; empty: each node has its own option
 * @param stateTypes types of the state at each node; empty: each node has its own option
 * @param members members by their numbers
 */
record ClusterFile(
        String name,
        Path directory,
        Path shared,
        Optional<Path> secretFile,
        int mtu,
        boolean sync,
        Duration snapshot,
        long snapshotBytes,
        Optional<Integer> state,
        Optional<TypeRanges> stateTypes,
        Map<Integer, Member> members) {
    /** UDP ports of a node: the port in the file, and the next four. */
    static final int PORTS = 5;

    private static final Duration LEAST_SNAPSHOT = Duration.ofSeconds(5);
    private static final Duration MOST_SNAPSHOT = Duration.ofDays(1);
    private static final long LEAST_SNAPSHOT_BYTES = 1 << 20;
    private static final long MOST_SNAPSHOT_BYTES = 1L << 40;

    private static final int LEAST_MTU = 1_024;
    private static final int MOST_MTU = 65_504;

    private static final int MOST_MEMBERS = 7;
    private static final int MOST_NUMBER = 100;
    private static final int MOST_PORT = 65_535;

    private static final List<String> KEYS = List.of(
            "name directory members sync snapshot snapshot-log mtu shared secret-file state state-types".split(" "));

    /** @param port the first of {@link #PORTS} */
    record Member(String host, int port) {
        /** Whether both members are on one host, by name or address. A node reports its own unknown host. */
        boolean isBeside(Member other) {
            InetSocketAddress here = new InetSocketAddress(host, port);
            InetSocketAddress there = new InetSocketAddress(other.host, other.port);
            return host.equalsIgnoreCase(other.host)
                    || !here.isUnresolved() && here.getAddress().equals(there.getAddress());
        }

        String endpoint(int offset) {
            return host + ":" + (port + offset);
        }

        @Override
        public String toString() {
            return endpoint(0);
        }
    }

    ClusterFile {
        members = Map.copyOf(members);
    }

    /**
     * Reads the file.
     *
     * @throws IllegalArgumentException the message names the mistake, with file and line
     */
    static ClusterFile read(Path file) {
        return HoconFile.read(file, root -> {
            if (root.get("cluster") instanceof ConfigObject block) {
                return read(block);
            }
            throw new IllegalArgumentException(file + ": there is no block cluster { ... }");
        });
    }

    private static ClusterFile read(ConfigObject block) {
        block.forEach((key, value) -> {
            if (!KEYS.contains(key)) {
                throw HoconFile.wrong(value, "unknown key cluster." + key + "; there are " + String.join(", ", KEYS));
            }
        });
        String name = setting(block, "name");
        if (!name.matches("[A-Za-z0-9_.-]{1,40}")) {
            throw HoconFile.wrong(
                    block.get("name"),
                    "cluster.name '" + name + "' is not 1 to 40 letters, digits, dots, dashes and underscores");
        }
        String sync = setting(block, "sync", "0");
        if (!sync.equals("0") && !sync.equals("1")) {
            throw HoconFile.wrong(block.get("sync"), "cluster.sync '" + sync + "' is neither 0 nor 1");
        }
        return new ClusterFile(
                name,
                Path.of(setting(block, "directory")),
                Path.of(setting(block, "shared", "/dev/shm")),
                block.containsKey("secret-file")
                        ? Optional.of(Path.of(setting(block, "secret-file")))
                        : Optional.empty(),
                mtu(block),
                sync.equals("1"),
                snapshot(block),
                snapshotBytes(block),
                parsed(block, "state", Sizes::parse),
                parsed(block, "state-types", TypeRanges::parse),
                members(block));
    }

    private static int mtu(ConfigObject block) {
        String text = setting(block, "mtu", "1408");
        int mtu = number(text, LEAST_MTU, MOST_MTU);
        if (mtu < 0 || mtu % FrameDescriptor.FRAME_ALIGNMENT != 0) {
            throw HoconFile.wrong(
                    block.get("mtu"),
                    "cluster.mtu '" + text + "' is no multiple of " + FrameDescriptor.FRAME_ALIGNMENT + " within "
                            + LEAST_MTU + ".." + MOST_MTU + ": 1408 fits into Ethernet, 8896 into jumbo frames");
        }
        return mtu;
    }

    private static Duration snapshot(ConfigObject block) {
        if (!block.containsKey("snapshot")) {
            return Duration.ofMinutes(10);
        }
        Duration every = block.toConfig().getDuration("snapshot");
        return checkRange(block, "snapshot", every, LEAST_SNAPSHOT, MOST_SNAPSHOT, "5s..24h");
    }

    private static long snapshotBytes(ConfigObject block) {
        if (!block.containsKey("snapshot-log")) {
            return 1L << 30;
        }
        long bytes = block.toConfig().getBytes("snapshot-log");
        return checkRange(block, "snapshot-log", bytes, LEAST_SNAPSHOT_BYTES, MOST_SNAPSHOT_BYTES, "1m..1t");
    }

    private static <T> Optional<T> parsed(ConfigObject block, String key, Function<String, T> parser) {
        if (!block.containsKey(key)) {
            return Optional.empty();
        }
        String text = setting(block, key);
        try {
            return Optional.of(parser.apply(text));
        } catch (IllegalArgumentException e) {
            throw HoconFile.wrong(block.get(key), "cluster." + key + " " + e.getMessage());
        }
    }

    private static <T extends Comparable<T>> T checkRange(
            ConfigObject block, String key, T value, T least, T most, String range) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            String text = "cluster." + key + " " + setting(block, key) + " is not within " + range;
            throw HoconFile.wrong(block.get(key), text);
        }
        return value;
    }

    private static Map<Integer, Member> members(ConfigObject block) {
        if (!(block.get("members") instanceof ConfigObject entries)) {
            throw HoconFile.wrong(
                    Objects.requireNonNullElse(block.get("members"), block),
                    "cluster.members is to be a block: members { 1 = \"10.0.0.1:7410\", ... }");
        }
        Map<Integer, Member> members = new TreeMap<>();
        for (Map.Entry<String, ConfigValue> entry : entries.entrySet()) {
            int number = number(entry.getKey(), 1, MOST_NUMBER);
            if (number < 0) {
                throw HoconFile.wrong(
                        entry.getValue(),
                        "cluster.members: '" + entry.getKey() + "' is no node's number within 1.." + MOST_NUMBER);
            }
            Member member = member(entry.getValue());
            if (members.containsKey(number)) {
                throw HoconFile.wrong(
                        entry.getValue(),
                        "cluster.members: node " + number + " is there twice, once as " + entry.getKey());
            }
            members.forEach((other, known) -> {
                if (Math.abs(known.port - member.port) < PORTS && known.isBeside(member)) {
                    throw HoconFile.wrong(
                            entry.getValue(),
                            "cluster.members: nodes " + other + " and " + number + ", " + known + " and " + member
                                    + ": each has " + PORTS + " ports, from the one that is named on");
                }
            });
            members.put(number, member);
        }
        if (members.size() % 2 == 0 || members.size() > MOST_MEMBERS) {
            throw HoconFile.wrong(
                    entries,
                    "cluster.members: " + members.size() + " nodes; there may be 3, 5 or 7, or one to try it: an even"
                            + " number bears no more failures than one less");
        }
        return members;
    }

    private static Member member(ConfigValue value) {
        String text = String.valueOf(HoconFile.text(value));
        int colon = text.lastIndexOf(':');
        int port = colon < 1 ? -1 : number(text.substring(colon + 1), 1, MOST_PORT - PORTS + 1);
        if (port < 0) {
            throw HoconFile.wrong(
                    value,
                    "cluster.members: '" + text + "' is no host:port, such as 10.0.0.1:7410, with a port within 1.."
                            + (MOST_PORT - PORTS + 1));
        }
        return new Member(text.substring(0, colon), port);
    }

    /** Returns the number in a text; -1: there is none, or it is not in the range. */
    private static int number(String text, int least, int most) {
        if (!text.matches("\\d{1,5}")) {
            return -1;
        }
        int number = Integer.parseInt(text);
        return number < least || number > most ? -1 : number;
    }

    private static String setting(ConfigObject block, String key, String byDefault) {
        return block.containsKey(key) ? setting(block, key) : byDefault;
    }

    private static String setting(ConfigObject block, String key) {
        ConfigValue value = block.get(key);
        if (value == null) {
            throw HoconFile.wrong(block, "cluster." + key + " is missing");
        }
        String text = HoconFile.text(value);
        if (text == null) {
            throw HoconFile.wrong(value, "cluster." + key + " is to be a value");
        }
        return text;
    }

    /** A warning if the directory does not survive a restart of the machine. */
    Optional<String> fleeting(SystemTree system) {
        return FleetingFiles.why(system, directory).map(why -> "cluster.directory " + directory + " is " + why);
    }

    Path directoryOf(int node) {
        return directory.resolve("node-" + node);
    }

    Path sharedOf(int node) {
        return shared.resolve("relay-" + name + "-" + node);
    }

    /** Checks that a node has the state that the block gives to all of them. A subscriber may go from node to node. */
    void checkState(StateConfig ofNode) throws IOException {
        if (state.isPresent() && state.get() != ofNode.bytes()) {
            throw otherState("state " + ofNode.bytes() + " is not the " + state.get() + " of cluster.state");
        }
        if (stateTypes.isPresent() && !stateTypes.get().equals(ofNode.types())) {
            throw otherState("state types " + ofNode.types().text(8) + " are not the "
                    + stateTypes.get().text(8) + " of cluster.state-types");
        }
    }

    private static IOException otherState(String what) {
        return new IOException(what
                + ": what stands in the block holds for each node, so give the node the same, or leave its own out");
    }

    void checkShared() throws IOException {
        if (!Files.isDirectory(shared)) {
            throw new IOException("cluster.shared " + shared + " is no directory");
        }
    }

    /** The members in Aeron's form: ports of ingress, consensus, log, catch-up and archive for each. */
    String aeronMembers() {
        return joined(
                "|",
                (number, member) -> number + ","
                        + IntStream.range(0, PORTS).mapToObj(member::endpoint).collect(Collectors.joining(",")));
    }

    /** Channel of messages, to the leader and from it. */
    String aeronMessages() {
        return "aeron:udp?term-length=16m|mtu=" + mtu;
    }

    /** The members' ports for entries, in Aeron's form. */
    String aeronIngress() {
        return joined(",", (number, member) -> number + "=" + member);
    }

    private String joined(String between, BiFunction<Integer, Member, String> text) {
        return new TreeMap<>(members)
                .entrySet().stream()
                        .map(one -> text.apply(one.getKey(), one.getValue()))
                        .collect(Collectors.joining(between));
    }
}
