package dev.msgrelay.server;

import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.config.ListenConfig;
import dev.msgrelay.server.config.TlsConfig;
import dev.msgrelay.server.core.EngineLoop;
import dev.msgrelay.server.net.AllAddresses;
import dev.msgrelay.server.net.Listener;
import dev.msgrelay.server.net.Transport;
import dev.msgrelay.server.session.Ports;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listening sockets of a relay: a port for publishers and one for subscribers, Unix sockets, and ports for TLS. */
final class Entrances {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private final ListenConfig listen;
    private final Transport transport;
    private final EngineLoop loop;
    private final List<Listener> listeners = new ArrayList<>();
    private final List<UnixSocketFile> socketFiles = new ArrayList<>();
    private final Ports ports;

    /**
     * @param loop the loop that accepts
     * @param ports told of each port that listens
     */
    Entrances(ListenConfig listen, Transport transport, EngineLoop loop, Ports ports) {
        this.listen = listen;
        this.transport = transport;
        this.loop = loop;
        this.ports = ports;
    }

    /**
     * Listens on all plain ports and Unix sockets.
     *
     * @throws IOException the message names the address that cannot be listened on; the sockets before it are open
     */
    void open(Listener.Placement publishers, Listener.Placement subscribers) throws IOException {
        tcp(Role.PUBLISHER, false, listen.publishPort(), publishers);
        tcp(Role.SUBSCRIBER, false, listen.subscribePort(), subscribers);
        unix(listen.publishSocket(), publishers);
        unix(listen.subscribeSocket(), subscribers);
    }

    /**
     * Listens on the ports for TLS.
     *
     * @throws IOException as {@link #open}
     */
    void openTls(TlsConfig tls, Listener.Placement publishers, Listener.Placement subscribers) throws IOException {
        tcp(Role.PUBLISHER, true, tls.publishPort(), publishers);
        tcp(Role.SUBSCRIBER, true, tls.subscribePort(), subscribers);
    }

    /**
     * Checks that the addresses, folders and group exist, without listening.
     *
     * @throws IOException the message names the address that cannot be listened on
     */
    static void check(ListenConfig listen) throws IOException {
        AllAddresses.of(listen.host(), 0);
        for (Path socket : new Path[] {listen.publishSocket(), listen.subscribeSocket()}) {
            if (socket != null) {
                UnixSocketFile.check(socket);
                UnixSocketFile.group(socket, listen.socketGroup());
            }
        }
    }

    /** Listens on a port at all of the host's addresses that are this machine's. */
    private void tcp(Role role, boolean secured, int port, Listener.Placement placement) throws IOException {
        if (port == ListenConfig.OFF) {
            return;
        }
        int first = listeners.size();
        AllAddresses.bind(
                AllAddresses.of(listen.host(), port),
                port,
                address -> {
                    Listener listener = Listener.bind(transport.tcpListener(), address, loop.io(), placement);
                    listeners.add(listener);
                    InetSocketAddress bound = (InetSocketAddress) listener.address();
                    if (listeners.size() == first + 1) {
                        ports.opened(role, secured, bound);
                    } else {
                        LOG.info(
                                "{} has several addresses: {} is listened on, too",
                                listen.host(),
                                NetUtil.toSocketAddressString(bound));
                    }
                    return bound;
                },
                LOG::warn);
    }

    private void unix(Path path, Listener.Placement placement) throws IOException {
        if (path == null) {
            return;
        }
        UnixSocketFile.prepare(path);
        Listener listener = Listener.bind(transport.unixListener(), transport.unixAddress(path), loop.io(), placement);
        listeners.add(listener);
        UnixSocketFile file = new UnixSocketFile(path, listener);
        socketFiles.add(file);
        file.permit(listen.socketPermissions(), listen.socketGroup());
    }

    /** Stops listening, and removes the socket files. */
    void close() {
        for (UnixSocketFile file : socketFiles) {
            try {
                file.close();
            } catch (IOException e) {
                LOG.warn("cannot remove a Unix socket: {}", e.toString());
            }
        }
        listeners.forEach(Listener::close);
    }

    List<SocketAddress> addresses() {
        return listeners.stream().map(Listener::address).toList();
    }
}
