package dev.msgrelay.server.harness;

import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.server.LocalPublisher;
import java.nio.ByteBuffer;

/** Publishes {@link Numbered} messages from within the relay's process, in runs: as fast as the relay takes them. */
public final class NumberedPublisher implements AutoCloseable {
    private static final int RUN_BYTES = 32 << 10;

    private final LocalPublisher publisher;
    private final Numbered messages;
    private final ByteBuffer run;
    private volatile long next;
    private volatile boolean stopped;
    private volatile long bytes;

    public NumberedPublisher(TestRelay relay, Numbered messages) {
        this(relay, messages, 1);
    }

    /** Of a stream that goes on: its next message is this one. */
    public NumberedPublisher(TestRelay relay, Numbered messages, long first) {
        next = first;
        this.publisher = relay.relay().newLocalPublisher();
        this.messages = messages;
        this.run = ByteBuffer.allocateDirect(publisher.maxRun());
    }

    public long next() {
        return next;
    }

    public long bytes() {
        return bytes;
    }

    public NumberedPublisher publish(long count) {
        long until = next + count;
        while (next < until) {
            publishRun(until);
        }
        return this;
    }

    /** Publishes messages of so many bytes together, or a few more. */
    public NumberedPublisher publishBytes(long atLeast) {
        long until = bytes + atLeast;
        while (bytes < until) {
            publishRun(Long.MAX_VALUE);
        }
        return this;
    }

    /** Goes on at full speed on a thread of its own until {@link #stop}. */
    public NumberedPublisher publishOn(Workers workers) {
        workers.start("numbered-publisher", () -> {
            while (!stopped) {
                publishRun(Long.MAX_VALUE);
            }
        });
        return this;
    }

    public void stop() {
        stopped = true;
    }

    private void publishRun(long until) {
        run.clear();
        long sequence = next;
        do {
            messages.put(run, sequence);
            sequence++;
        } while (sequence < until && run.position() < RUN_BYTES && 8 + messages.length(sequence) <= run.remaining());
        int length = run.position();
        PublishOutcome outcome = publisher.publishRun(run.flip(), Await.LIMIT_NANOS);
        if (outcome != PublishOutcome.ACCEPTED) {
            throw new AssertionError("message " + next + ": " + outcome);
        }
        bytes += length;
        next = sequence;
    }

    @Override
    public void close() {
        stop();
        publisher.close();
    }
}
