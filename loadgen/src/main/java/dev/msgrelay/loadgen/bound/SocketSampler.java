package dev.msgrelay.loadgen.bound;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Looks at the queues of a run's connections. /proc/PID/net is that of the process's own network namespace, so each
 * namespace is read once, by way of one of its processes. The sampler's thread owns it.
 */
final class SocketSampler {
    static final List<String> TABLES = List.of("/net/tcp", "/net/tcp6");

    private final SampleSource source;
    private final Watched watched;
    private final QueueTally publisherSend = new QueueTally();
    private final QueueTally relayReceive = new QueueTally();
    private final QueueTally relaySend = new QueueTally();
    private final QueueTally subscriberReceive = new QueueTally();

    /** One process of each namespace, and which roles live in it. */
    private final Map<Long, Set<Role>> namespaces = new LinkedHashMap<>();

    /** Of each of them, the tables in which something of the run was found: to read one, the kernel walks all sockets. */
    private final Map<Long, List<String>> tables = new HashMap<>();

    private final Bystanders bystanders;
    private int seen;

    SocketSampler(SampleSource source, Watched watched) {
        this.source = source;
        this.watched = watched;
        this.bystanders = new Bystanders(source, watched);
        Map<String, Long> first = new LinkedHashMap<>();
        for (Watched.Process process : watched.processes()) {
            // Without the right to look, the worst that happens is that a table is read more than once.
            String namespace = source.link(process.pid() + "/ns/net").orElse("of " + process.pid());
            long pid = first.computeIfAbsent(namespace, key -> process.pid());
            namespaces.computeIfAbsent(pid, key -> new HashSet<>()).add(process.role());
        }
    }

    /** A process of each network namespace. */
    Set<Long> representatives() {
        return namespaces.keySet();
    }

    void sample() {
        if (watched.publishPort() < 0 && watched.subscribePort() < 0) {
            return; // Unix sockets
        }
        bystanders.find();
        namespaces.forEach((pid, roles) -> {
            List<String> known = tables.get(pid);
            List<String> wanted = known == null || known.isEmpty() ? TABLES : known;
            tables.put(
                    pid,
                    wanted.stream()
                            .filter(table -> read(source.text(pid + table).orElse(""), roles))
                            .toList());
        });
    }

    /** Answers whether anything of the run was in it. */
    private boolean read(String text, Set<Role> roles) {
        int before = seen;
        int publish = watched.publishPort();
        if (publish >= 0) {
            SocketTable.read(text, publish, entry -> addPublishing(entry, publish, roles));
        }
        int subscribe = watched.subscribePort();
        if (subscribe >= 0) {
            SocketTable.read(text, subscribe, entry -> addSubscribing(entry, subscribe, roles));
        }
        return seen > before;
    }

    private void addPublishing(SocketTable.Entry entry, int port, Set<Role> roles) {
        if (roles.contains(Role.PUBLISHER) && entry.remotePort() == port) {
            seen++;
            publisherSend.add(entry.localPort(), entry.sendBytes());
        }
        if (roles.contains(Role.RELAY) && entry.localPort() == port) {
            seen++;
            relayReceive.add(entry.remotePort(), entry.receiveBytes());
        }
    }

    private void addSubscribing(SocketTable.Entry entry, int port, Set<Role> roles) {
        if (bystanders.has(entry.localPort() == port ? entry.remotePort() : entry.localPort())) {
            return;
        }
        if (roles.contains(Role.SUBSCRIBER) && entry.remotePort() == port) {
            seen++;
            subscriberReceive.add(entry.localPort(), entry.receiveBytes());
        }
        if (roles.contains(Role.RELAY) && entry.localPort() == port) {
            seen++;
            relaySend.add(entry.remotePort(), entry.sendBytes());
        }
    }

    Queues queues() {
        return new Queues(publisherSend.worst(), relayReceive.worst(), relaySend.worst(), subscriberReceive.worst());
    }
}
