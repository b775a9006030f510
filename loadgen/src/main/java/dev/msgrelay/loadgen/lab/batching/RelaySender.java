package dev.msgrelay.loadgen.lab.batching;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.server.LocalPublisher;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.config.RelayConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The relay within this process: a local publisher for each producer thread; the device is its one subscriber. */
final class RelaySender implements Sender {
    private static final long FULL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LOOK_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    private final RelayServer relay;

    RelaySender() throws IOException {
        relay = RelayServer.start(RelayConfig.builder()
                .publishPort(0)
                .subscribePort(0)
                .slowSubscriber(Policy.BACKPRESSURE)
                .build());
    }

    /** Connects a subscriber and waits until the relay has it, so that it gets every message from now on. */
    SocketChannel subscribe() throws IOException, InterruptedException {
        InetSocketAddress address = relay.subscribeAddress();
        SocketChannel channel = SocketChannel.open(address);
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Ending.LIMIT_MILLIS);
        while (relay.stats().subscribers() == 0) {
            if (System.nanoTime() - deadline > 0) {
                channel.close();
                throw new IOException("the relay did not take a subscriber within " + Ending.LIMIT_MILLIS + " ms");
            }
            LockSupport.parkNanos(LOOK_NANOS);
            if (Thread.interrupted()) {
                channel.close();
                throw new InterruptedException();
            }
        }
        return channel;
    }

    @Override
    public Outlet newOutlet() {
        LocalPublisher publisher = relay.newLocalPublisher();
        return frame -> publish(publisher, frame);
    }

    private static void publish(LocalPublisher publisher, ByteBuffer frame) throws IOException, InterruptedException {
        int type = FrameLayout.type(frame, frame.position());
        frame.position(frame.position() + FrameLayout.HEADER_LENGTH);
        PublishOutcome outcome;
        do {
            outcome = publisher.publish(type, frame, FULL_NANOS);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        } while (outcome == PublishOutcome.FULL);
        if (outcome != PublishOutcome.ACCEPTED) {
            throw new IOException("the relay answered " + outcome);
        }
    }

    @Override
    public void close() {
        relay.close();
    }
}
