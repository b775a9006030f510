package dev.msgrelay.client.cli;

import dev.msgrelay.client.RelayErrorException;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A connection that asks a relay for a place in its stream, and takes no message: for {@code --until} and {@code --from
 * last:N}.
 */
final class StreamQuery {
    /** Makes the options of the connection. */
    interface Connection {
        /** @param listener gets its events */
        SubscriberOptions.Builder options(Consumer<SessionEvent> listener) throws IOException;
    }

    /**
     * A place.
     *
     * @param endpoint relay that was asked
     * @param epoch epoch of its stream
     * @param next sequence of the first message behind the place
     */
    record Place(Endpoint endpoint, long epoch, long next) {}

    /** The relay keeps no times. */
    static final class NoTimesException extends IOException {
        private static final long serialVersionUID = 1L;

        NoTimesException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    private final Connection connection;
    private final FirstConnection first;
    private Optional<Place> place = Optional.empty();

    /** @param first decides when there is no connection */
    StreamQuery(Connection connection, FirstConnection first) {
        this.connection = connection;
        this.first = first;
    }

    /**
     * Asks for the end of the stream, or for the place at a time.
     *
     * @throws NoTimesException the relay has no journal
     * @throws IOException no relay answers
     */
    Place ask(Optional<Instant> time) throws IOException, InterruptedException {
        SubscriberOptions.Builder options = connection.options(this::event);
        time.ifPresent(options::fromTime);
        try (RelaySubscriber subscriber = RelaySubscriber.open(options.build())) {
            while (place.isEmpty()) {
                subscriber.poll((sequence, type, body) -> {});
                if (first.hasFailed()) {
                    first.await(Duration.ZERO, "");
                }
            }
            return place.get();
        } catch (RelayErrorException e) {
            if (time.isPresent() && e.reason() == CloseReason.UNSUPPORTED) {
                throw new NoTimesException("it is a time, and the relay has no journal, so it knows none", e);
            }
            throw e;
        }
    }

    private void event(SessionEvent event) {
        first.event(event);
        if (event instanceof SessionEvent.Connected made && place.isEmpty()) {
            place = Optional.of(new Place(
                    made.endpoint(), made.welcome().epoch(), made.welcome().next()));
        }
    }
}
