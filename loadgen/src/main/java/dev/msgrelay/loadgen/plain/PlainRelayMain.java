package dev.msgrelay.loadgen.plain;

import dev.msgrelay.loadgen.worker.Control;
import dev.msgrelay.loadgen.worker.Listener;
import dev.msgrelay.loadgen.worker.WorkerArgs;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Map;

/**
 * The plain relay's process: one publisher, S subscribers, one thread.
 *
 * <pre>
 *  --subscribers S            connections that are awaited before anything is relayed (1)
 *  --buffer BYTES             of a read
 *  --bind ADDRESS             where it listens (127.0.0.1)
 *  --publish-port N           likewise; 0: any free one (0)
 *  --subscribe-port N
 *  --publish-socket PATH      a Unix socket instead of TCP
 *  --subscribe-socket PATH
 * </pre>
 */
public final class PlainRelayMain {
    private PlainRelayMain() {}

    public static void main(String[] args) {
        Control.main(args, PlainRelayMain::run);
    }

    private static void run(WorkerArgs args, Control control) throws IOException, InterruptedException {
        try (Listener publish = new Listener(args, "publish-socket", "publish-port");
                Listener subscribe = new Listener(args, "subscribe-socket", "subscribe-port")) {
            control.say(
                    "ready",
                    Map.of(
                            "publish", publish.endpoint().toString(),
                            "subscribe", subscribe.endpoint().toString()));
            List<SocketChannel> subscribers = subscribe.accept(args.number("subscribers", 1));
            SocketChannel publisher = publish.accept(1).get(0);
            PlainRelay relay = new PlainRelay(publisher, subscribers, args.number("buffer"));
            try {
                relay.run();
            } catch (IOException e) {
                // A subscriber that only counts leaves with bytes unread, which resets its connection. One that is lost
                // before its time says so itself.
            }
            control.say("result", Map.of("bytesIn", relay.bytesIn()));
        }
    }
}
