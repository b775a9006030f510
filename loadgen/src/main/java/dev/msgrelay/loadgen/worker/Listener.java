package dev.msgrelay.loadgen.worker;

import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A listening socket of a worker: TCP on the address given by --bind (loopback), or a Unix socket where a path is given. */
public final class Listener implements AutoCloseable {
    private final ServerSocketChannel server;
    private final Endpoint endpoint;

    /**
     * @param socketOption the option that gives the Unix socket's path; without it, TCP
     * @param portOption the option that gives the port; without it, a free one
     */
    public Listener(WorkerArgs args, String socketOption, String portOption) throws IOException {
        server = args.flag(socketOption)
                ? Sockets.listen(Path.of(args.text(socketOption)))
                : Sockets.listen(bound(args), args.number(portOption, 0));
        endpoint = Sockets.endpoint(server);
    }

    private static String bound(WorkerArgs args) {
        return args.flag("bind") ? args.text("bind") : "127.0.0.1";
    }

    public Endpoint endpoint() {
        return endpoint;
    }

    /** Waits for so many connections. The controller bounds this wait: its end ends the process. */
    public List<SocketChannel> accept(int count) throws IOException {
        List<SocketChannel> accepted = new ArrayList<>();
        while (accepted.size() < count) {
            accepted.add(Sockets.accept(server));
        }
        return accepted;
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
