package dev.msgrelay.client.cli;

import dev.msgrelay.client.ConnectionOptions;
import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.ReconnectPolicy;
import dev.msgrelay.client.RelayErrorException;
import dev.msgrelay.client.RelayPublisher;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.client.TlsOptions;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One connection to a relay, to learn who it is: a HELLO in the likely role, and in the other one where the port is for
 * that. Nothing is published.
 */
sealed interface Probe {
    Endpoint endpoint();

    Role role();

    /**
     * The relay lets this client in.
     *
     * @param welcomeNanos time from the beginning of the connection to WELCOME
     * @param roundTripNanos shortest time from a request to its answer; 0: not measured
     */
    record Answered(Endpoint endpoint, Role role, WelcomeFrame welcome, long welcomeNanos, long roundTripNanos)
            implements Probe {}

    /** There is no WELCOME. */
    record Failed(Endpoint endpoint, Role role, IOException fault) implements Probe {
        /** Whether the relay has answered with this reason. */
        private boolean isOf(CloseReason reason) {
            return fault instanceof RelayErrorException error && error.reason() == reason;
        }

        /** Whether the relay has answered and does not let this client do what the port is for. */
        boolean isForbidden() {
            return isOf(CloseReason.NOT_PERMITTED) || isOf(CloseReason.NOT_AUTHENTICATED);
        }
    }

    /**
     * Probes an endpoint. Measures {@code roundTrips} round trips, if it is for subscribers.
     *
     * @param likely tried first: the relay counts a HELLO of the wrong role
     */
    static Probe of(
            Endpoint endpoint, Role likely, Token token, Optional<TlsOptions> tls, Duration timeout, int roundTrips)
            throws IOException, InterruptedException {
        Probe first = as(likely, endpoint, token, tls, timeout, roundTrips);
        boolean wrong = first instanceof Failed failed && failed.isOf(CloseReason.WRONG_ROLE);
        Role other = likely == Role.PUBLISHER ? Role.SUBSCRIBER : Role.PUBLISHER;
        return wrong ? as(other, endpoint, token, tls, timeout, roundTrips) : first;
    }

    private static Probe as(
            Role role, Endpoint endpoint, Token token, Optional<TlsOptions> tls, Duration timeout, int roundTrips)
            throws IOException, InterruptedException {
        Welcomed welcomed = new Welcomed();
        if (role == Role.PUBLISHER) {
            PublisherOptions.Builder options = PublisherOptions.builder(endpoint);
            tls.ifPresent(options::tls);
            return publisher(endpoint, once(options, token, timeout, welcomed).build(), timeout, welcomed);
        }
        SubscriberOptions.Builder options = SubscriberOptions.builder(endpoint);
        tls.ifPresent(options::tls);
        return subscriber(endpoint, once(options, token, timeout, welcomed).build(), roundTrips, welcomed);
    }

    private static <B extends ConnectionOptions.Builder<B>> B once(
            B options, Token token, Duration timeout, Welcomed welcomed) {
        return options.reconnect(ReconnectPolicy.none())
                .token(token)
                .connectTimeout(timeout)
                .handshakeTimeout(timeout)
                .onEvent(welcomed::event);
    }

    private static Probe subscriber(Endpoint endpoint, SubscriberOptions options, int roundTrips, Welcomed welcomed) {
        try (RelaySubscriber subscriber = RelaySubscriber.open(options)) {
            while (!welcomed.welcome.isDone()) {
                subscriber.poll((sequence, type, body) -> {});
            }
            long least = Long.MAX_VALUE;
            for (int i = 0; i < roundTrips; i++) {
                long start = System.nanoTime();
                CompletableFuture<Long> answer = subscriber.types(TypeRanges.ALL);
                while (!answer.isDone()) {
                    subscriber.poll((sequence, type, body) -> {});
                }
                least = Math.min(least, System.nanoTime() - start);
            }
            WelcomeFrame welcome = welcomed.welcome.join();
            return new Answered(endpoint, Role.SUBSCRIBER, welcome, welcomed.nanos, roundTrips == 0 ? 0 : least);
        } catch (IOException e) {
            return new Failed(endpoint, Role.SUBSCRIBER, e);
        }
    }

    private static Probe publisher(Endpoint endpoint, PublisherOptions options, Duration timeout, Welcomed welcomed)
            throws IOException, InterruptedException {
        RelayPublisher publisher = RelayPublisher.open(options);
        try {
            WelcomeFrame welcome = welcomed.welcome.get(timeout.toNanos() * 2, TimeUnit.NANOSECONDS);
            return new Answered(endpoint, Role.PUBLISHER, welcome, welcomed.nanos, 0);
        } catch (ExecutionException e) {
            return new Failed(endpoint, Role.PUBLISHER, (IOException) e.getCause());
        } catch (TimeoutException e) {
            return new Failed(endpoint, Role.PUBLISHER, new IOException("no answer from " + endpoint, e));
        } finally {
            close(publisher);
        }
    }

    private static void close(RelayPublisher publisher) {
        try {
            publisher.close();
        } catch (IOException e) {
            // Nothing was published; a failure before WELCOME is the probe's fault already.
        }
    }

    /** Waits for WELCOME. */
    final class Welcomed {
        private final CompletableFuture<WelcomeFrame> welcome = new CompletableFuture<>();
        private long begun;
        private volatile long nanos;

        void event(SessionEvent event) {
            if (event instanceof SessionEvent.Connecting) {
                begun = System.nanoTime();
            } else if (event instanceof SessionEvent.Connected connected) {
                nanos = System.nanoTime() - begun;
                welcome.complete(connected.welcome());
            } else if (event instanceof SessionEvent.GaveUp gaveUp) {
                welcome.completeExceptionally(gaveUp.cause());
            }
        }
    }
}
