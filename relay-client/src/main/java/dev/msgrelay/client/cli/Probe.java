package dev.msgrelay.client.cli;

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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One connection to a relay, to learn who it is: a HELLO in the likely role, and in the other one where the port is for
 * that. Nothing is published.
 *
 * @param role role of the port; null: unknown, since there is no answer
 * @param welcome the relay's answer; null: it lets this client in not at all
 * @param welcomeNanos time from the beginning of the connection to WELCOME
 * @param roundTripNanos shortest time from a request to its answer; 0: not measured
 * @param fault the reason why there is no WELCOME; null: there is one
 */
record Probe(
        Endpoint endpoint, Role role, WelcomeFrame welcome, long welcomeNanos, long roundTripNanos, IOException fault) {

    /**
     * Probes an endpoint. Measures {@code roundTrips} round trips, if it is for subscribers.
     *
     * @param likely tried first: the relay counts a HELLO of the wrong role
     */
    static Probe of(Endpoint endpoint, Role likely, Token token, TlsOptions tls, Duration timeout, int roundTrips)
            throws IOException, InterruptedException {
        Probe first = as(likely, endpoint, token, tls, timeout, roundTrips);
        boolean wrong = first.fault instanceof RelayErrorException error && error.reason() == CloseReason.WRONG_ROLE;
        Role other = likely == Role.PUBLISHER ? Role.SUBSCRIBER : Role.PUBLISHER;
        return wrong ? as(other, endpoint, token, tls, timeout, roundTrips) : first;
    }

    private static Probe as(Role role, Endpoint endpoint, Token token, TlsOptions tls, Duration timeout, int roundTrips)
            throws IOException, InterruptedException {
        return role == Role.PUBLISHER
                ? publisher(endpoint, token, tls, timeout)
                : subscriber(endpoint, token, tls, timeout, roundTrips);
    }

    /** Whether the relay has answered and does not let this client do what the port is for. */
    boolean isForbidden() {
        return fault instanceof RelayErrorException error
                && (error.reason() == CloseReason.NOT_PERMITTED || error.reason() == CloseReason.NOT_AUTHENTICATED);
    }

    private static Probe subscriber(Endpoint endpoint, Token token, TlsOptions tls, Duration timeout, int roundTrips)
            throws IOException {
        Welcomed welcomed = new Welcomed();
        SubscriberOptions options = SubscriberOptions.builder(endpoint)
                .reconnect(ReconnectPolicy.none())
                .token(token)
                .tls(tls)
                .connectTimeout(timeout)
                .handshakeTimeout(timeout)
                .onEvent(welcomed::event)
                .build();
        try (RelaySubscriber subscriber = RelaySubscriber.open(options)) {
            while (!welcomed.isDone()) {
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
            return new Probe(
                    endpoint,
                    Role.SUBSCRIBER,
                    welcomed.welcome.join(),
                    welcomed.nanos,
                    roundTrips == 0 ? 0 : least,
                    null);
        } catch (IOException e) {
            boolean spoke = e instanceof RelayErrorException;
            return new Probe(endpoint, spoke ? Role.SUBSCRIBER : null, null, 0, 0, e);
        }
    }

    private static Probe publisher(Endpoint endpoint, Token token, TlsOptions tls, Duration timeout)
            throws IOException, InterruptedException {
        Welcomed welcomed = new Welcomed();
        PublisherOptions options = PublisherOptions.builder(endpoint)
                .reconnect(ReconnectPolicy.none())
                .token(token)
                .tls(tls)
                .connectTimeout(timeout)
                .handshakeTimeout(timeout)
                .onEvent(welcomed::event)
                .build();
        RelayPublisher publisher = RelayPublisher.open(options);
        try {
            WelcomeFrame welcome = welcomed.welcome.get(timeout.toNanos() * 2, TimeUnit.NANOSECONDS);
            return new Probe(endpoint, Role.PUBLISHER, welcome, welcomed.nanos, 0, null);
        } catch (ExecutionException e) {
            return new Probe(endpoint, Role.PUBLISHER, null, 0, 0, (IOException) e.getCause());
        } catch (TimeoutException e) {
            return new Probe(endpoint, null, null, 0, 0, new IOException("no answer from " + endpoint, e));
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
    private static final class Welcomed {
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

        boolean isDone() {
            return welcome.isDone();
        }
    }
}
