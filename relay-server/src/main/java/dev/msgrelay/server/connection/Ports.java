package dev.msgrelay.server.connection;

import dev.msgrelay.protocol.Role;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The relay's TCP ports for data, which a client that has come to the wrong one is told. Any thread. */
public final class Ports {
    private record Place(Role role, boolean secured) {}

    private final Map<Place, InetSocketAddress> ports = new ConcurrentHashMap<>();

    /** Takes note of a port, once it listens. */
    public void opened(Role role, boolean secured, InetSocketAddress address) {
        ports.put(new Place(role, secured), address);
    }

    /** The address of a port; null: there is no such port. */
    public InetSocketAddress address(Role role, boolean secured) {
        return ports.get(new Place(role, secured));
    }

    /** A clause such as "; subscribers connect to port 7400"; empty: there is no such port. */
    public String hint(Role role, boolean secured) {
        InetSocketAddress address = address(role, secured);
        String who = role == Role.PUBLISHER ? "publishers" : "subscribers";
        return address == null
                ? ""
                : "; " + who + " connect to port " + address.getPort() + (secured ? ", with TLS" : "");
    }
}
