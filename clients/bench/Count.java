import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SubscriberOptions;

/** Counts messages: {@code Count TOTAL HOST:PORT}. */
public final class Count {
    public static void main(String[] arguments) throws Exception {
        long total = Long.parseLong(arguments[0]);
        long[] seen = {0};
        try (var subscriber = RelaySubscriber.open(SubscriberOptions.builder(arguments[1]).build())) {
            subscriber.run((sequence, type, body) -> {
                if (++seen[0] == total) {
                    System.exit(0);
                }
            });
        }
    }
}
