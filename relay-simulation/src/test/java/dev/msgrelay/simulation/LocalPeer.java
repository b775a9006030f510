package dev.msgrelay.simulation;

import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.server.LocalPublisher;
import java.nio.ByteBuffer;

/** A producer thread of the relay's own process, without the thread. */
final class LocalPeer {
    private final World world;
    private final LocalPublisher publisher;
    private final Source source;
    private static final byte[] FRAMES = new byte[1 << 21];

    private int made;
    private boolean closed;

    LocalPeer(World world, LocalPublisher publisher, Source source) {
        this.world = world;
        this.publisher = publisher;
        this.source = source;
    }

    void act() {
        if (closed || !world.mayPublish(made)) {
            return;
        }
        int count = 1 + world.skewed(30) * world.volume;
        if (world.onceIn(4)) {
            run(count);
        } else {
            for (int i = 0; i < count && one(); i++) {}
        }
        if (world.onceIn(400)) {
            close();
        }
    }

    private boolean one() {
        int length = source.put(made + 1, FRAMES, 0);
        ByteBuffer body = ByteBuffer.wrap(FRAMES, Source.HEADER, length - Source.HEADER);
        return taken(publisher.publish(Source.getInt(FRAMES, 0), body), 1);
    }

    private void run(int most) {
        int count = 0;
        int length = 0;
        while (count < most && length + source.frameLength(made + count + 1) <= publisher.maxRun()) {
            count++;
            length += source.put(made + count, FRAMES, length);
        }
        if (count > 0) {
            taken(publisher.publishRun(ByteBuffer.wrap(FRAMES, 0, length)), count);
        }
    }

    private boolean taken(PublishOutcome outcome, int count) {
        if (outcome == PublishOutcome.ACCEPTED) {
            made += count;
            return true;
        }
        world.check(outcome == PublishOutcome.FULL || closed, "a local publisher is told " + outcome);
        return false;
    }

    void close() {
        if (!closed) {
            closed = true;
            publisher.close();
        }
    }

    String owed() {
        return source.inStream == made
                ? ""
                : "local publisher (source " + source.id + ") has published " + made + ", " + source.inStream
                        + " are in the stream";
    }
}
