package dev.msgrelay.client.system;

import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.RelayPublisher;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SubscriberOptions;
import java.time.Duration;

/**
 * A program that takes no events. Arguments: what it does, its relay's endpoint, and how many milliseconds a close may
 * take. It publishes a thousand messages and falls off its end, or exits after a close, or exits with all settled; or
 * it subscribes.
 */
final class CarelessProgram {
    private static final int MESSAGES = 1000;

    private CarelessProgram() {}

    public static void main(String[] args) throws Exception {
        if (args[0].equals("subscribes")) {
            RelaySubscriber.open(SubscriberOptions.builder(args[1]).build())
                    .run((sequence, type, body) -> System.out.println("a message"));
            return;
        }
        RelayPublisher publisher = RelayPublisher.open(PublisherOptions.builder(args[1])
                .acks("careless")
                .closeTimeout(Duration.ofMillis(Long.parseLong(args[2])))
                .build());
        for (int i = 0; i < MESSAGES; i++) {
            publisher.publish(7, "message " + i);
        }
        switch (args[0]) {
            case "closes" -> publisher.close();
            case "settles" -> publisher.flush(Duration.ofSeconds(120));
            default -> {}
        }
    }
}
