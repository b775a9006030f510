package dev.msgrelay.loadgen.evidence;

import dev.msgrelay.loadgen.evidence.Sampled.Queue;
import dev.msgrelay.loadgen.evidence.Sampled.Queues;
import dev.msgrelay.loadgen.evidence.Watched.Role;
import dev.msgrelay.server.host.SystemTree;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Samples the socket queues of a run's connections. /proc/PID/net shows the network namespace of that process, so each
 * namespace is read once, by one of its processes. Only the sampling thread uses this class.
 */
final class SocketSampler {
    private static final String SOCKET = "socket:[";
    private static final List<String> TABLES = List.of("/net/tcp", "/net/tcp6");

    private final SystemTree source;
    private final Watched watched;
    private final QueueTally publisherSend = new QueueTally();
    private final QueueTally relayReceive = new QueueTally();
    private final QueueTally relaySend = new QueueTally();
    private final QueueTally subscriberReceive = new QueueTally();

    private final Map<Long, Set<Role>> namespaces = new LinkedHashMap<>();

    /**
     * The tables that contain connections of the run, by process id. Other tables are not read again, since the kernel
     * walks all sockets for each reading.
     */
    private final Map<Long, List<String>> tables = new HashMap<>();

    /** TCP ports of slow subscribers whose queues delay no publisher ({@link Watched.Process#beside}). */
    private final Set<Integer> bystanders = new HashSet<>();

    private int seen;

    SocketSampler(SystemTree source, Watched watched) {
        this.source = source;
        this.watched = watched;
        Map<String, Long> first = new LinkedHashMap<>();
        for (Watched.Process process : watched.processes()) {
            // If the namespace's symbolic link cannot be read, a table may be read more than once.
            String namespace = source.link(process.pid() + "/ns/net").orElse("of " + process.pid());
            long pid = first.computeIfAbsent(namespace, key -> process.pid());
            namespaces.computeIfAbsent(pid, key -> new HashSet<>()).add(process.role());
        }
    }

    void sample() {
        if (watched.publishPort() < 0 && watched.subscribePort() < 0) {
            return; // a Unix socket, or unknown
        }
        findBystanders();
        namespaces.forEach((pid, roles) -> {
            List<String> known = tables.getOrDefault(pid, List.of());
            List<String> wanted = known.isEmpty() ? TABLES : known;
            tables.put(
                    pid,
                    wanted.stream()
                            .filter(table -> read(source.text(pid + table).orElse(""), roles))
                            .toList());
        });
    }

    /** Returns how many segments TCP has retransmitted, in all namespaces of the run; NaN without TCP or the relay. */
    double resent() {
        boolean tcp = watched.publishPort() >= 0 || watched.subscribePort() >= 0;
        boolean relay = namespaces.values().stream().anyMatch(roles -> roles.contains(Role.RELAY));
        return tcp && relay
                ? namespaces.keySet().stream()
                        .mapToDouble(
                                pid -> resent(source.text(pid + "/net/snmp").orElse("")))
                        .sum()
                : Double.NaN;
    }

    private static double resent(String snmp) {
        List<List<String>> tcp = snmp.lines()
                .filter(line -> line.startsWith("Tcp:"))
                .map(line -> List.of(line.strip().split("\\s+")))
                .toList();
        int at = tcp.size() < 2 ? -1 : tcp.get(0).indexOf("RetransSegs");
        return at < 0 || at >= tcp.get(1).size()
                ? Double.NaN
                : Double.parseDouble(tcp.get(1).get(at));
    }

    private boolean read(String text, Set<Role> roles) {
        int before = seen;
        read(text, watched.publishPort(), roles, Role.PUBLISHER);
        read(text, watched.subscribePort(), roles, Role.SUBSCRIBER);
        return seen > before;
    }

    private void read(String text, int port, Set<Role> roles, Role client) {
        if (port < 0) {
            return;
        }
        boolean publishes = client == Role.PUBLISHER;
        SocketTable.read(text, port, entry -> {
            boolean atRelay = entry.localPort() == port;
            int clientPort = atRelay ? entry.remotePort() : entry.localPort();
            if (!roles.contains(atRelay ? Role.RELAY : client) || !publishes && bystanders.contains(clientPort)) {
                return;
            }
            seen++;
            // Bytes that the relay receives wait in a receive queue at the relay, and in a send queue at the publisher.
            if (atRelay == publishes) {
                (atRelay ? relayReceive : subscriberReceive).add(clientPort, entry.receiveBytes());
            } else {
                (atRelay ? relaySend : publisherSend).add(clientPort, entry.sendBytes());
            }
        });
    }

    /** Finds the bystanders once. They connect before the first sample, and do not reconnect. */
    private void findBystanders() {
        int port = watched.subscribePort();
        if (port < 0 || !bystanders.isEmpty()) {
            return;
        }
        for (Watched.Process process :
                watched.processes().stream().filter(Watched.Process::beside).toList()) {
            Set<String> inodes = sockets(process.pid());
            for (String table : TABLES) {
                SocketTable.read(source.text(process.pid() + table).orElse(""), port, entry -> {
                    if (entry.remotePort() == port && inodes.contains(entry.inode())) {
                        bystanders.add(entry.localPort());
                    }
                });
            }
        }
    }

    private Set<String> sockets(long pid) {
        String directory = pid + "/fd";
        return source.names(directory).stream()
                .map(name -> source.link(directory + "/" + name).orElse(""))
                .filter(target -> target.startsWith(SOCKET))
                .map(target -> target.substring(SOCKET.length(), target.length() - 1))
                .collect(Collectors.toSet());
    }

    Queues queues() {
        return new Queues(publisherSend.worst(), relayReceive.worst(), relaySend.worst(), subscriberReceive.worst());
    }

    private static final class QueueTally {
        private static final int MAX_CONNECTIONS = 4_096;

        /** The fewest samples of a connection from which a share is computed. */
        private static final int MIN_SAMPLES = 3;

        private final Map<Integer, Sum> connections = new HashMap<>();

        private static final class Sum {
            private int samples;
            private int waiting;
            private long bytes;
        }

        /** @param client TCP port of the client, which identifies the connection */
        void add(int client, long bytes) {
            if (connections.size() == MAX_CONNECTIONS && !connections.containsKey(client)) {
                return;
            }
            Sum sum = connections.computeIfAbsent(client, key -> new Sum());
            sum.samples++;
            sum.bytes += bytes;
            if (bytes >= Queue.LONG_BYTES) {
                sum.waiting++;
            }
        }

        /** Returns the queue that was long most often, among those with enough samples. */
        Queue worst() {
            return connections.values().stream()
                    .filter(sum -> sum.samples >= MIN_SAMPLES)
                    .map(sum -> new Queue(
                            connections.size(),
                            sum.samples,
                            (double) sum.waiting / sum.samples,
                            (double) sum.bytes / sum.samples))
                    .max(Comparator.comparingDouble(Queue::waiting).thenComparingDouble(Queue::meanBytes))
                    .orElse(Queue.UNSEEN);
        }
    }
}
