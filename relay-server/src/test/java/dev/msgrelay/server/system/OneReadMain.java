package dev.msgrelay.server.system;

import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.Sessions;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.engine.RelayEngine;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;

/** A relay, one publisher and one subscriber in a process of their own, which {@link WayOfAReadTest} watches. */
final class OneReadMain {
    private static final int FRAMES = 8;

    private OneReadMain() {}

    public static void main(String[] args) throws Exception {
        RelayConfig config = RelayConfig.builder()
                .publishPort(0)
                .subscribePort(0)
                .eventLoops(1)
                .build();
        try (RelayServer relay = RelayServer.start(config);
                PlainSubscriber subscriber = PlainSubscriber.connect(relay.subscribeAddress());
                PlainPublisher publisher = PlainPublisher.connect(relay.publishAddress())) {
            publisher.send(frames());
            subscriber.awaitMessages(FRAMES);
            awaitEndOfCycle(relay);
            begins();
            publisher.send(frames());
            subscriber.awaitMessages(2 * FRAMES);
            awaitEndOfCycle(relay);
            ends();
        }
    }

    /** The subscriber has the bytes before the cycle that sent them is over; a task of the core runs in a later one. */
    private static void awaitEndOfCycle(RelayServer relay) throws InterruptedException {
        RelayEngine engine = Sessions.get(relay, "engine");
        engine.core().io().submit(() -> {}).sync();
    }

    /** A few packets, so short that one read takes all of them, and a socket that nobody writes to, too. */
    private static Frames frames() {
        Frames frames = new Frames();
        for (int i = 0; i < FRAMES; i++) {
            frames.frame(i, 1000);
        }
        return frames;
    }

    /** The core's calls are recorded from here on. */
    private static void begins() {}

    /** The read has come out at the subscriber, and the core is done with it. */
    private static void ends() {}
}
