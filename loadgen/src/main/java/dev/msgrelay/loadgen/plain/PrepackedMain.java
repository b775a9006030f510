package dev.msgrelay.loadgen.plain;

import dev.msgrelay.loadgen.worker.Control;
import dev.msgrelay.loadgen.worker.Listener;
import dev.msgrelay.loadgen.worker.Window;
import dev.msgrelay.loadgen.worker.WorkerArgs;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The first ceiling: frames that were packed beforehand and never touched again, written over and over to one
 * subscriber.
 *
 * <pre>
 *  --body BYTES          of every message
 *  --write-size BYTES    of every write
 *  --bind ADDRESS        where it listens (127.0.0.1)
 *  --subscribe-port N    likewise; 0: any free one (0)
 *  --socket PATH         a Unix socket instead of TCP
 * </pre>
 */
public final class PrepackedMain {
    private static final long PRIME_EVERY_MILLIS = 10;

    private PrepackedMain() {}

    public static void main(String[] args) {
        Control.main(args, PrepackedMain::run);
    }

    private static void run(WorkerArgs args, Control control) throws IOException, InterruptedException {
        int body = args.number("body");
        try (Listener listener = new Listener(args, "socket", "subscribe-port")) {
            control.say("ready", Map.of("subscribe", listener.endpoint().toString()));
            SocketChannel subscriber = listener.accept(1).get(0);
            Prepacked frames = new Prepacked(body, args.number("write-size"));
            while (control.window() == Window.NONE) {
                write(subscriber, frames.one());
                TimeUnit.MILLISECONDS.sleep(PRIME_EVERY_MILLIS);
            }
            Window window = control.window();
            while (System.nanoTime() < window.end()) {
                write(subscriber, frames.next());
            }
            write(subscriber, frames.rest());
            control.say("result", Map.of());
        }
    }

    private static void write(SocketChannel channel, ByteBuffer data) throws IOException {
        while (data.hasRemaining()) {
            channel.write(data);
        }
    }
}
