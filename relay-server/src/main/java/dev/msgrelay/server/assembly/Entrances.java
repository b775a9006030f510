package dev.msgrelay.server.assembly;

import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.config.ListenConfig;
import dev.msgrelay.server.config.TlsConfig;
import dev.msgrelay.server.connection.EngineLoop;
import dev.msgrelay.server.connection.RelayIdentity;
import dev.msgrelay.server.net.CongestionControl;
import dev.msgrelay.server.net.Listener;
import dev.msgrelay.server.net.OpenSockets;
import dev.msgrelay.server.net.Transport;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.ServerChannel;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listening sockets of a relay: TCP ports with and without TLS, and {@link UnixSockets}. */
public final class Entrances {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    /** Sets up an accepted channel, and returns its loop. */
    public interface Arrivals {
        EventLoop place(Channel accepted, Role role, boolean secured);
    }

    private final ListenConfig listen;
    private final Transport transport;
    private final CongestionControl congestion;
    private final EngineLoop loop;
    private final List<ServerChannel> listeners = new ArrayList<>();
    private final UnixSockets sockets = new UnixSockets(this::unix);
    private final OpenSockets open = new OpenSockets();
    private final RelayIdentity identity;
    private final Arrivals arrivals;

    /** @param identity gets the address of each port that listens */
    public Entrances(
            ListenConfig listen,
            Transport transport,
            CongestionControl congestion,
            EngineLoop loop,
            RelayIdentity identity,
            Arrivals arrivals) {
        this.listen = listen;
        this.transport = transport;
        this.congestion = congestion;
        this.loop = loop;
        this.identity = identity;
        this.arrivals = arrivals;
    }

    public void open(TlsConfig tls) throws IOException {
        tcp(Role.PUBLISHER, false, listen.publishPort());
        tcp(Role.SUBSCRIBER, false, listen.subscribePort());
        if (listen.publishSocket() != null) {
            sockets.open(Role.PUBLISHER, listen.publishSocket());
        }
        if (listen.subscribeSocket() != null) {
            sockets.open(Role.SUBSCRIBER, listen.subscribeSocket());
        }
        if (tls.on()) {
            tcp(Role.PUBLISHER, true, tls.publishPort());
            tcp(Role.SUBSCRIBER, true, tls.subscribePort());
        }
        sockets.start();
    }

    /** Checks, without listening, that the host and the group exist, and that no socket's path is an ordinary file. */
    public static void check(ListenConfig listen) throws IOException {
        Listener.addresses(listen.host(), 0);
        for (Path socket : new Path[] {listen.publishSocket(), listen.subscribeSocket()}) {
            if (socket != null) {
                UnixSocketFile.check(socket);
                if (listen.socketGroup() != null) {
                    UnixSocketFile.group(socket, listen.socketGroup());
                }
            }
        }
    }

    /** Listens on a port, at those addresses of the host name that belong to this machine. */
    private void tcp(Role role, boolean secured, int port) throws IOException {
        if (port == ListenConfig.OFF) {
            return;
        }
        int first = listeners.size();
        Listener.bindAll(
                Listener.addresses(listen.host(), port),
                port,
                address -> {
                    ServerChannel listener = transport.tcpListener();
                    congestion.setOnListener(listener);
                    Listener.bind(listener, address, loop.io(), accepted -> place(accepted, role, secured));
                    open.add(listener);
                    listeners.add(listener);
                    InetSocketAddress bound = (InetSocketAddress) listener.localAddress();
                    if (listeners.size() == first + 1) {
                        identity.listens(role, secured, bound);
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

    private UnixSocketFile unix(Role role, Path path) throws IOException {
        ServerChannel listener = transport.unixListener();
        Listener.bind(listener, transport.unixAddress(path), loop.io(), accepted -> place(accepted, role, false));
        open.add(listener);
        try {
            UnixSocketFile file = new UnixSocketFile(path, listener);
            file.permit(listen.socketPermissions(), listen.socketGroup());
            return file;
        } catch (IOException e) {
            // Netty's close removes the file.
            listener.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
            throw e;
        }
    }

    private EventLoop place(Channel accepted, Role role, boolean secured) {
        open.add(accepted);
        return arrivals.place(accepted, role, secured);
    }

    /** Whether each Unix socket has its file. */
    public boolean reachable() {
        return sockets.reachable();
    }

    /** Stops listening, and removes the socket files. */
    void close() {
        sockets.close();
        listeners.forEach(listener -> listener.close().awaitUninterruptibly(1, TimeUnit.SECONDS));
    }

    /** Stops listening, and cuts all connections, without waiting for any disk, see {@link OpenSockets#cut}. */
    public void cut() {
        open.cut();
    }

    public List<SocketAddress> addresses() {
        return Stream.concat(listeners.stream().map(ServerChannel::localAddress), sockets.addresses().stream())
                .toList();
    }
}
