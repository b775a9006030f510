package dev.msgrelay.loadgen.rig;

import dev.msgrelay.client.ConnectionOptions;
import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.ReconnectPolicy;
import dev.msgrelay.client.RelayPublisher;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.loadgen.plan.Access;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.rig.Contestant.Started;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A relay that is already running, usually on another machine.
 *
 * @param policy the policy for which subscribers ask; {@link #checked} replaces {@link Policy#RELAY_DEFAULT} with one
 *     of the other policies
 * @param timeout to connect, and then for the answer to HELLO
 */
public record RemoteRelay(
        Endpoint publish, Endpoint subscribe, Policy policy, Access access, Duration timeout, AdminPort admin)
        implements Contestant {
    @Override
    public String name() {
        return "relay at " + publish;
    }

    @Override
    public String transport(Load load) {
        return Contestants.transport(publish.isUnix(), subscribe.isUnix());
    }

    @Override
    public Started start(Children children, Load load) throws RunException, InterruptedException {
        checked();
        return new Started(null, publish, subscribe, access, admin);
    }

    /**
     * Connects a publisher and a subscriber, and reads the admin port, before any worker is started.
     *
     * @return this relay, with the policy that subscribers get. If none was chosen, that is the relay's default if it
     *     is backpressure, or else skip, since subscribers are always slow at full speed.
     * @throws RunException a client was refused, or got another policy; the message is one line
     */
    public RemoteRelay checked() throws RunException, InterruptedException {
        try {
            checkPublish();
        } catch (IOException e) {
            throw refused("publisher", publish, e);
        }
        Policy given;
        try {
            given = given(policy);
            if (policy == Policy.RELAY_DEFAULT && given != Policy.BACKPRESSURE) {
                given = given(Policy.SKIP);
            }
        } catch (IOException e) {
            throw refused("subscriber", subscribe, e);
        }
        if (policy != Policy.RELAY_DEFAULT && given != policy) {
            throw new RunException("the relay's subscribers get the policy " + given.flag() + ", not " + policy.flag()
                    + ": start it with --slow-subscriber " + policy.flag() + ", or give loadgen --slow-subscriber "
                    + given.flag());
        }
        if (admin != null) {
            admin.check();
        }
        return new RemoteRelay(publish, subscribe, given, access, timeout, admin);
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

    private Policy given(Policy wanted) throws IOException {
        AtomicReference<Policy> given = new AtomicReference<>(wanted);
        SubscriberOptions options = greeting(
                        SubscriberOptions.builder(subscribe).policy(wanted))
                .onEvent(event -> {
                    if (event instanceof SessionEvent.Connected connected) {
                        given.set(connected.welcome().policy());
                    }
                })
                .build();
        try (RelaySubscriber subscriber = RelaySubscriber.connect(options)) {
            while (subscriber.epoch() == 0) {
                if (subscriber.poll((sequence, type, body) -> {}) < 0) {
                    throw new IOException("it closed the connection without an answer to HELLO");
                }
            }
        }
        return given.get();
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
            boolean heard = answered.await(2 * timeout.toMillis(), TimeUnit.MILLISECONDS);
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
                .connectTimeout(timeout)
                .handshakeTimeout(timeout);
    }
}
