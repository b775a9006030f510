package dev.msgrelay.server;

import dev.msgrelay.server.config.ListenConfig;
import dev.msgrelay.server.config.TlsConfig;
import dev.msgrelay.server.core.EngineLoop;
import dev.msgrelay.server.net.AllAddresses;
import dev.msgrelay.server.net.Listener;
import dev.msgrelay.server.net.Transport;
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
    private Listener publishTcp;
    private Listener subscribeTcp;
    private Listener publishTls;
    private Listener subscribeTls;

    /** @param loop the loop that accepts */
    Entrances(ListenConfig listen, Transport transport, EngineLoop loop) {
        this.listen = listen;
        this.transport = transport;
        this.loop = loop;
    }

    /**
     * Listens on all plain ports and Unix sockets.
     *
     * @throws IOException the message names the address that cannot be listened on; the sockets before it are open
     */
    void open(Listener.Placement publishers, Listener.Placement subscribers) throws IOException {
        if (listen.publishPort() != ListenConfig.OFF) {
            publishTcp = tcp(listen.publishPort(), publishers);
        }
        if (listen.subscribePort() != ListenConfig.OFF) {
            subscribeTcp = tcp(listen.subscribePort(), subscribers);
        }
        if (listen.publishSocket() != null) {
            unix(listen.publishSocket(), publishers);
        }
        if (listen.subscribeSocket() != null) {
            unix(listen.subscribeSocket(), subscribers);
        }
    }

    /**
     * Listens on the ports for TLS.
     *
     * @throws IOException as {@link #open}
     */
    void openTls(TlsConfig tls, Listener.Placement publishers, Listener.Placement subscribers) throws IOException {
        if (tls.publishPort() != ListenConfig.OFF) {
            publishTls = tcp(tls.publishPort(), publishers);
        }
        if (tls.subscribePort() != ListenConfig.OFF) {
            subscribeTls = tcp(tls.subscribePort(), subscribers);
        }
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

    /**
     * Listens on a port at all of the host's addresses. Returns the listener at the first address that is this
     * machine's.
     */
    private Listener tcp(int port, Listener.Placement placement) throws IOException {
        int first = listeners.size();
        AllAddresses.bind(
                AllAddresses.of(listen.host(), port),
                port,
                address -> {
                    Listener listener = Listener.bind(transport.tcpListener(), address, loop.io(), placement);
                    listeners.add(listener);
                    if (listeners.size() > first + 1) {
                        LOG.info("{} has several addresses: {} is listened on, too", listen.host(), placeOf(listener));
                    }
                    return (InetSocketAddress) listener.address();
                },
                LOG::warn);
        return listeners.get(first);
    }

    private static String placeOf(Listener listener) {
        return NetUtil.toSocketAddressString((InetSocketAddress) listener.address());
    }

    private void unix(Path path, Listener.Placement placement) throws IOException {
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

    /** The address for publishers over TCP; null: there is none. */
    InetSocketAddress publishAddress() {
        return address(publishTcp);
    }

    /** The address for subscribers over TCP; null: there is none. */
    InetSocketAddress subscribeAddress() {
        return address(subscribeTcp);
    }

    /** The address for publishers with TLS; null: there is none. */
    InetSocketAddress tlsPublishAddress() {
        return address(publishTls);
    }

    /** The address for subscribers with TLS; null: there is none. */
    InetSocketAddress tlsSubscribeAddress() {
        return address(subscribeTls);
    }

    private static InetSocketAddress address(Listener listener) {
        return listener == null ? null : (InetSocketAddress) listener.address();
    }

    List<SocketAddress> addresses() {
        return listeners.stream().map(Listener::address).toList();
    }
}
