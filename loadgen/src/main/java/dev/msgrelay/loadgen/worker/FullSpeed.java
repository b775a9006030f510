package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.load.PackedStream;
import java.io.IOException;

/** Publishes over one connection as fast as it takes it. Runs on a thread of its own, blocking. */
final class FullSpeed {
    private FullSpeed() {}

    /**
     * Publishes from {@code window.sendFrom()} to {@code window.end()}.
     *
     * @param writeSize bytes of every write but the last, which only completes the last frame
     */
    static void publish(PublishConnection connection, Window window, int writeSize) throws IOException {
        PackedStream stream =
                new PackedStream(connection.id(), connection.bodyLength(), writeSize, connection.messages());
        long now = new Waiter(0).awaitMoment(window.sendFrom());
        while (now < window.end()) {
            connection.write(stream.next(now), stream.nextNumber());
            now = System.nanoTime();
        }
        connection.write(stream.rest(), stream.nextNumber());
    }
}
