package dev.msgrelay.loadgen.lab.readers;

import dev.msgrelay.loadgen.worker.Control;
import dev.msgrelay.loadgen.worker.Sockets;
import dev.msgrelay.loadgen.worker.WorkerArgs;
import dev.msgrelay.protocol.net.Segments;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The article's server, in a process of its own: an endless stream of messages of one size, as fast as possible; here to
 * one client after the other, and for some time each.
 *
 * <pre>
 *  --bind ADDRESS        where it listens, on a free port
 *  --body BYTES          of every message
 *  --write-size BYTES    of every write; 0: whole segments of the connection, about 256 KiB
 *  --millis TIME         of every connection
 * </pre>
 */
public final class StreamSenderMain {
    private static final int LARGE = 256 << 10;

    private StreamSenderMain() {}

    public static void main(String[] args) {
        Control.main(args, StreamSenderMain::run);
    }

    private static void run(WorkerArgs args, Control control) throws IOException {
        int body = args.number("body");
        int writeSize = args.number("write-size");
        long nanos = TimeUnit.MILLISECONDS.toNanos(args.number("millis"));
        try (ServerSocketChannel server = Sockets.listen(args.text("bind"))) {
            control.say("ready", Map.of("address", Sockets.endpoint(server).toString()));
            StreamSender sender = null;
            for (int connection = 1; ; connection++) {
                try (SocketChannel client = Sockets.accept(server)) {
                    if (sender == null) {
                        sender = new StreamSender(body, writeSize == 0 ? segments(client) : writeSize);
                    }
                    long sent = sender.send(client, System.nanoTime() + nanos, System::nanoTime);
                    control.say("sent" + connection, Map.of("messages", sent));
                } catch (IOException e) {
                    control.say("sent" + connection, Map.of("failed", e.toString()));
                }
            }
        }
    }

    private static int segments(SocketChannel client) throws IOException {
        return Segments.wholeUpTo(LARGE, Segments.payload(client.getLocalAddress()));
    }
}
