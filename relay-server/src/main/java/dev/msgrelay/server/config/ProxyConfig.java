package dev.msgrelay.server.config;

import dev.msgrelay.server.access.Network;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.Objects;

/**
 * Whether the TCP ports for publishers and subscribers, with and without TLS, are behind proxies that send the PROXY
 * protocol. Unix sockets and the admin port never are.
 *
 * @param from networks of the proxies; all other addresses are refused
 */
public record ProxyConfig(Mode mode, List<Network> from) {
    /** Whether connections begin with a header of the PROXY protocol. */
    public enum Mode {
        OFF,
        REQUIRED
    }

    public ProxyConfig {
        Objects.requireNonNull(mode, "mode");
        from = List.copyOf(from);
        if (mode == Mode.REQUIRED && from.isEmpty()) {
            throw new IllegalArgumentException(
                    "proxy protocol required needs the networks of the proxies: --proxy-from");
        }
        if (mode == Mode.OFF && !from.isEmpty()) {
            throw new IllegalArgumentException("proxy from needs --proxy-protocol required");
        }
        if (from.stream().anyMatch(Network::isUnix)) {
            throw new IllegalArgumentException("proxy from has unix: the PROXY protocol is for TCP ports only");
        }
    }

    public boolean required() {
        return mode == Mode.REQUIRED;
    }

    /** Whether a socket's peer is one of the proxies. A closed socket, which has no address, is none. */
    public boolean trusts(SocketAddress peer) {
        return peer instanceof InetSocketAddress inet
                && from.stream().anyMatch(each -> each.contains(inet.getAddress()));
    }
}
