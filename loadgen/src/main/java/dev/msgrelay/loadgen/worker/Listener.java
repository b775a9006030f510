package dev.msgrelay.loadgen.worker;

import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A listening socket of a worker: TCP on a free port of the address given by --bind (loopback), or a Unix socket where a path is given. */
public final class Listener implements AutoCloseable {
    private final ServerSocketChannel server;
    private final Endpoint endpoint;

    /**
     * @param socketOption the option that gives the Unix socket's path; without it, TCP
     */
    public Listener(WorkerArgs args, String socketOption) throws IOException {
        Endpoint wanted = args.flag(socketOption)
                ? Endpoint.unix(Path.of(args.text(socketOption)))
                : Endpoint.parse(bound(args) + ":0");
        server = wanted.listen();
        endpoint = Endpoint.of(server);
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
            accepted.add(Endpoint.accept(server));
        }
        return accepted;
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
