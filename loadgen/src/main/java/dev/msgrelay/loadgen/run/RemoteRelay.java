package dev.msgrelay.loadgen.run;

import dev.msgrelay.client.ConnectionOptions;
import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.ReconnectPolicy;
import dev.msgrelay.client.RelayPublisher;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.loadgen.worker.Access;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A relay that runs already, on another machine mostly.
 *
 * @param policy what it is known to do with slow subscribers
 * @param access how its clients are let in
 * @param connectTimeout for a connection that nobody answers
 * @param admin where it tells its figures; null: nowhere
 */
public record RemoteRelay(
        Endpoint publish, Endpoint subscribe, Policy policy, Access access, Duration connectTimeout, AdminPort admin)
        implements Contestant {
    /** For the answer to HELLO: the connection stands by then. */
    private static final Duration ANSWER = Duration.ofMillis(1_500);

    /** One that lets everybody in, and tells nothing. */
    public RemoteRelay(Endpoint publish, Endpoint subscribe, Policy policy) {
        this(publish, subscribe, policy, Access.OPEN, Duration.ofSeconds(5), null);
    }

    @Override
    public String name() {
        return "relay at " + publish;
    }

    @Override
    public boolean stays() {
        return true;
    }

    @Override
    public String transport(Load load) {
        return Contestants.transport(publish.isUnix(), subscribe.isUnix());
    }

    /**
     * Knocks at each of its doors before any worker is started: a subscriber, a publisher, a look at its figures.
     *
     * @throws RunException one of them was not let in: one line that names the endpoint and the cause
     */
    @Override
    public Started start(Children children, Load load) throws RunException, InterruptedException {
        try {
            checkPublish();
        } catch (IOException e) {
            throw refused("publisher", publish, e);
        }
        try {
            checkSubscribe();
        } catch (IOException e) {
            throw refused("subscriber", subscribe, e);
        }
        if (admin != null) {
            admin.check();
        }
        return new Started(null, publish, subscribe, access, admin);
    }

    private RunException refused(String role, Endpoint endpoint, IOException cause) {
        String said = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        if (cause instanceof FrameException) {
            said = "what answers there is no relay: " + said;
        }
        String where = said.contains(endpoint.toString()) ? "" : " at " + endpoint;
        return new RunException("no " + role + " is let in" + where + ": "
                + said.lines().findFirst().orElse(""));
    }

    private void checkSubscribe() throws IOException {
        SubscriberOptions options =
                greeting(SubscriberOptions.builder(subscribe)).build();
        try (RelaySubscriber subscriber = RelaySubscriber.connect(options)) {
            while (subscriber.epoch() == 0) {
                if (subscriber.poll((sequence, type, body) -> {}) < 0) {
                    throw new IOException("it closed the connection without an answer to HELLO");
                }
            }
        }
    }

    private void checkPublish() throws IOException, InterruptedException {
        CountDownLatch answered = new CountDownLatch(1);
        PublisherOptions options = greeting(PublisherOptions.builder(publish))
                .onEvent(event -> {
                    if (event instanceof SessionEvent.Connected || event instanceof SessionEvent.GaveUp) {
                        answered.countDown();
                    }
                })
                .build();
        try (RelayPublisher publisher = RelayPublisher.connect(options)) {
            boolean heard = answered.await(2 * ANSWER.toMillis(), TimeUnit.MILLISECONDS);
            if (publisher.failure().isPresent()) {
                throw publisher.failure().get();
            }
            if (!heard) {
                throw new IOException("no answer to HELLO");
            }
        }
    }

    private <B extends ConnectionOptions.Builder<B>> B greeting(B options) throws IOException {
        return access.to(options)
                .name("loadgen")
                .reconnect(ReconnectPolicy.none())
                .connectTimeout(connectTimeout)
                .handshakeTimeout(ANSWER);
    }
}
