package dev.msgrelay.client.system;

import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.RelayPublisher;
import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.protocol.net.Endpoint;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A publisher process that goes on where the relay says that the one before it ended: each message holds its own
 * number, from 1. Arguments: port, name, last number. Says a line when it has begun and one when all is acknowledged.
 */
final class NumberingPublisher {
    private static final int REST_EVERY = 20;
    private static final long REST_NANOS = 50_000;

    /** The same in every process: they are one publisher, started again. */
    private static final ProducerId PRODUCER = new ProducerId(7, 11);

    private NumberingPublisher() {}

    public static void main(String[] args) throws Exception {
        long last = Long.parseLong(args[2]);
        CompletableFuture<Long> accepted = new CompletableFuture<>();
        PublisherOptions options = PublisherOptions.builder(Endpoint.tcp("127.0.0.1", Integer.parseInt(args[0])))
                .acks(args[1])
                .producer(PRODUCER)
                .reconnect(SubscriberSystemTest.QUICK)
                .onEvent(event -> {
                    if (event instanceof SessionEvent.Connected connected) {
                        accepted.complete(connected.welcome().accepted());
                    }
                })
                .build();
        try (RelayPublisher publisher = RelayPublisher.open(options)) {
            ByteBuffer body = ByteBuffer.allocate(100);
            long number = accepted.get(120, TimeUnit.SECONDS) + 1;
            System.out.println("from " + number);
            for (; number <= last; number++) {
                if (publisher.publish(1, body.putLong(0, number), Duration.ofSeconds(120)) != PublishOutcome.ACCEPTED) {
                    throw new IllegalStateException("not accepted: " + number);
                }
                if (number % REST_EVERY == 0) {
                    LockSupport.parkNanos(REST_NANOS);
                }
            }
            publisher.flush(Duration.ofSeconds(120));
            System.out.println("done");
        }
    }
}
