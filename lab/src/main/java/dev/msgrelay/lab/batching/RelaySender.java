package dev.msgrelay.lab.batching;

import static dev.msgrelay.server.config.RelayOption.*;

import dev.msgrelay.lab.Threads;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.server.LocalPublisher;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.config.RelayConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** The relay in this process, with a local publisher for each producer thread, and one subscriber. */
final class RelaySender implements Sender {
    private final RelayServer relay;
    private final SocketChannel subscriber;
    private Thread device;

    /** Starts the relay, and waits until its subscriber is connected and so receives every message. */
    RelaySender() throws IOException {
        relay = RelayServer.start(RelayConfig.builder(0, 0)
                .set(SLOW_SUBSCRIBER, Policy.BACKPRESSURE)
                .build());
        SocketChannel opened = null;
        try {
            opened = SocketChannel.open();
            opened.connect(relay.subscribeAddress());
            Threads.await("the relay's first subscriber", () -> relay.stats().subscribers() > 0);
        } catch (IOException e) {
            relay.close();
            if (opened != null) {
                opened.close();
            }
            throw e;
        }
        subscriber = opened;
    }

    SocketChannel subscriber() {
        return subscriber;
    }

    /** Connects this device as the subscriber. Its thread ends with the relay. */
    RelaySender to(SlowDevice slow) {
        device = Threads.daemon("device", () -> slow.behind(subscriber));
        device.start();
        return this;
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
            outcome = publisher.publish(type, frame, 100_000_000);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        } while (outcome == PublishOutcome.FULL);
        if (outcome != PublishOutcome.ACCEPTED) {
            throw new IOException("the relay answered " + outcome);
        }
    }

    @Override
    public void close() throws IOException {
        relay.close();
        if (device != null) {
            Threads.join(device);
        }
    }
}
