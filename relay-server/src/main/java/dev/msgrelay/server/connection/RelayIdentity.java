package dev.msgrelay.server.connection;

import dev.msgrelay.protocol.Role;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What clients are told about the relay: its name, its longest body, and its ports. A client at the wrong port is told
 * the right one. Any thread.
 */
public final class RelayIdentity {
    private record Entrance(Role role, boolean secured) {}

    private final String server;
    private final int maxBody;
    private final Map<Entrance, InetSocketAddress> ports = new ConcurrentHashMap<>();

    public RelayIdentity(String server, int maxBody) {
        this.server = server;
        this.maxBody = maxBody;
    }

    String server() {
        return server;
    }

    public int maxBody() {
        return maxBody;
    }

    public void listens(Role role, boolean secured, InetSocketAddress address) {
        ports.put(new Entrance(role, secured), address);
    }

    /** Returns the address of a role's port, with or without TLS; null if there is no such port. */
    public InetSocketAddress address(Role role, boolean secured) {
        return ports.get(new Entrance(role, secured));
    }

    /** Returns a clause such as "; subscribers connect to port 7400", or an empty text if there is no such port. */
    String hint(Role role, boolean secured) {
        InetSocketAddress address = address(role, secured);
        String who = role == Role.PUBLISHER ? "publishers" : "subscribers";
        return address == null
                ? ""
                : "; " + who + " connect to port " + address.getPort() + (secured ? ", with TLS" : "");
    }
}
