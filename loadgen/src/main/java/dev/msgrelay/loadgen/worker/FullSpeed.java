package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.load.PackedStream;
import java.io.IOException;
import java.nio.ByteBuffer;

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
