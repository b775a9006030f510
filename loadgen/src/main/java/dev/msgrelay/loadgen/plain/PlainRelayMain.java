package dev.msgrelay.loadgen.plain;

import dev.msgrelay.loadgen.worker.Control;
import dev.msgrelay.loadgen.worker.Sockets;
import dev.msgrelay.loadgen.worker.WorkerArgs;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Map;

/**
 * The plain relay's process: one publisher, S subscribers, one thread.
 *
 * <pre>
 *  --subscribers S            connections that are awaited before anything is relayed (1)
 *  --buffer BYTES             of a read
 *  --publish-port N           where it listens; 0: any free one (0)
 *  --subscribe-port N
 *  --publish-socket PATH      a Unix socket instead of TCP
 *  --subscribe-socket PATH
 * </pre>
 *
 * Beside these, what {@link WorkerArgs} names.
 */
public final class PlainRelayMain {
    private PlainRelayMain() {}

    public static void main(String[] args) {
        Control.main(args, PlainRelayMain::run);
    }

    private static void run(WorkerArgs args, Control control) throws IOException, InterruptedException {
        try (ServerSocketChannel publish = Sockets.listen(args, "publish-socket", "publish-port");
                ServerSocketChannel subscribe = Sockets.listen(args, "subscribe-socket", "subscribe-port")) {
            control.say(
                    "ready",
                    Map.of(
                            "publish", Sockets.endpoint(publish).toString(),
                            "subscribe", Sockets.endpoint(subscribe).toString()));
            List<SocketChannel> subscribers = Sockets.accept(subscribe, args.number("subscribers", 1));
            SocketChannel publisher = Sockets.accept(publish);
            try {
                relay(publisher, subscribers, args.number("buffer"));
            } catch (IOException e) {
                // A subscriber that only counts leaves with bytes unread, which resets its connection. One that is lost
                // before its time says so itself.
            }
            control.say("result", Map.of());
        }
    }

    /**
     * A ceiling: what a relay of one thread can do at most that reads a buffer and writes it on, to one subscriber
     * after the other, without ever looking into it, until the publisher's stream ends. No frames, no policies, no bounds on
     * a slow subscriber.
     */
    static void relay(SocketChannel publisher, List<SocketChannel> subscribers, int bufferSize) throws IOException {
        final ByteBuffer data = ByteBuffer.allocateDirect(bufferSize);
        while (true) {
            data.clear();
            int n = publisher.read(data);
            if (n < 0) {
                return;
            }
            for (SocketChannel subscriber : subscribers) {
                data.position(0).limit(n);
                while (data.hasRemaining()) {
                    subscriber.write(data);
                }
            }
        }
    }
}
