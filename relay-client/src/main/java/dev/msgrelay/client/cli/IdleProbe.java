package dev.msgrelay.client.cli;

import dev.msgrelay.client.MessageHandler;
import dev.msgrelay.client.ReconnectPolicy;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.client.TlsOptions;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.protocol.text.Durations;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A connection on which nothing is said for a time, not even a heartbeat, and then something: {@code ping --idle}. It
 * finds what cuts idle connections on the way, with a reset or in silence.
 */
final class IdleProbe {
    /** Longest silence: the protocol's longest heartbeat, less a minute. */
    static final Duration LONGEST = Duration.ofMinutes(59);

    /** A type that never comes: a stream would be no silence. */
    private static final TypeRanges RARE = TypeRanges.of(Integer.MAX_VALUE, Integer.MAX_VALUE);

    private static final MessageHandler NO_MESSAGES = (sequence, type, body) -> {};
    private static final Duration MARGIN = Duration.ofMinutes(1);

    private IdleProbe() {}

    /**
     * Returns the time of the answer behind the silence, in nanoseconds.
     *
     * @param timeout longest wait for WELCOME, and for the answer
     * @throws IOException there was no connection, or it was lost, or no answer came; the message says after which time
     */
    static long roundTrip(Endpoint endpoint, Token token, Optional<TlsOptions> tls, Duration idle, Duration timeout)
            throws IOException {
        CompletableFuture<SessionEvent.Connected> connected = new CompletableFuture<>();
        SubscriberOptions.Builder options = SubscriberOptions.builder(endpoint)
                .types(RARE)
                .heartbeat(idle.plus(MARGIN))
                .reconnect(ReconnectPolicy.none())
                .token(token)
                .connectTimeout(timeout)
                .handshakeTimeout(timeout)
                .onEvent(event -> {
                    if (event instanceof SessionEvent.Connected now) {
                        connected.complete(now);
                    }
                });
        tls.ifPresent(options::tls);
        boolean welcomed = false;
        long begun = System.nanoTime();
        try (RelaySubscriber subscriber = RelaySubscriber.open(options.build())) {
            while (!connected.isDone()) {
                subscriber.poll(NO_MESSAGES);
            }
            welcomed = true;
            demandSilence(connected.join().welcome().heartbeatMillis(), idle);
            begun = System.nanoTime();
            pollFor(subscriber, idle, new CompletableFuture<>());
            long asked = System.nanoTime();
            CompletableFuture<Long> answer = subscriber.types(TypeRanges.ALL);
            pollFor(subscriber, timeout, answer);
            if (!answer.isDone()) {
                throw new IOException("no answer within " + Durations.format(timeout) + ": what stands between has"
                        + " forgotten the connection without a word");
            }
            return System.nanoTime() - asked;
        } catch (IOException e) {
            if (!welcomed) {
                throw e;
            }
            Duration after = Duration.ofSeconds(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun));
            throw new IOException("idle for " + Durations.format(after) + ": " + e.getMessage(), e);
        }
    }

    /** Polls until the answer, or for that time. */
    private static void pollFor(RelaySubscriber subscriber, Duration time, CompletableFuture<Long> answer)
            throws IOException {
        long end = System.nanoTime() + time.toNanos();
        long left;
        while (!answer.isDone() && (left = end - System.nanoTime()) > 0) {
            subscriber.poll(NO_MESSAGES, Duration.ofMillis(1 + TimeUnit.NANOSECONDS.toMillis(left)));
        }
    }

    private static void demandSilence(int heartbeatMillis, Duration idle) throws IOException {
        if (heartbeatMillis <= idle.toMillis()) {
            throw new IOException(
                    "the relay sends a heartbeat each " + Durations.format(Duration.ofMillis(heartbeatMillis))
                            + ", which is no silence of " + Durations.format(idle));
        }
    }
}
