package dev.msgrelay.loadgen.bound;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Connections of processes that hold nobody back, however long their queues are ({@link Watched.Process#beside}). They are
 * connected before the first look and never again, so that they are found once. The sampler's thread owns it.
 */
final class Bystanders {
    private static final String SOCKET = "socket:[";

    private final SampleSource source;
    private final List<Watched.Process> processes;
    private final int port;
    private final Set<Integer> clients = new HashSet<>();

    Bystanders(SampleSource source, Watched watched) {
        this.source = source;
        this.processes =
                watched.processes().stream().filter(Watched.Process::beside).toList();
        this.port = watched.subscribePort();
    }

    /** Looks for them, until some are found. */
    void find() {
        if (port < 0 || !clients.isEmpty()) {
            return;
        }
        for (Watched.Process process : processes) {
            Set<String> inodes = sockets(process.pid());
            for (String table : SocketSampler.TABLES) {
                clients.addAll(
                        SocketTable.clients(source.text(process.pid() + table).orElse(""), port, inodes));
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

    /** @param client the port of the end that connected */
    boolean has(int client) {
        return clients.contains(client);
    }
}
