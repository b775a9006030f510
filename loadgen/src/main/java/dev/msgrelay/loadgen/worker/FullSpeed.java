package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.load.MessageStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Publishes over one connection as fast as it takes it. Runs on a thread of its own, blocking. */
final class FullSpeed {
    private FullSpeed() {}

    /**
     * Publishes from {@code window.sendFrom()} to {@code window.end()}; the last write only completes the last frame.
     *
     * @param stream that goes on where the connection is
     */
    static void publish(PublishConnection connection, MessageStream stream, Window window) throws IOException {
        long now = new Waiter(0).awaitMoment(window.sendFrom());
        while (now < window.end()) {
            if (now >= window.begin()) {
                connection.noteBegin();
            }
            ByteBuffer data = stream.next(now);
            connection.write(data, stream.nextNumber());
            now = System.nanoTime();
        }
        ByteBuffer rest = stream.rest();
        connection.write(rest, stream.nextNumber());
    }
}
