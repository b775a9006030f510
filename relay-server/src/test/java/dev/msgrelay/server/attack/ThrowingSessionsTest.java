package dev.msgrelay.server.attack;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.Sessions;
import dev.msgrelay.server.connection.Session;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.figures.RelayStats;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.TalkingPublisher;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A session throws in each of its steps, since the test takes away what the step needs: it ends, and nobody else
 * notices.
 *
 * <pre>
 *   socket --> Saboteur (of the test) --> the connection
 *                 '-- takes a field away just before the step, or just behind it
 * </pre>
 *
 * Steps that only a move between loops or a relief of the log's memory brings are the simulation's.
 */
class ThrowingSessionsTest {
    private static final int TIMES = 2;

    private static final int LARGE = 1 << 20;
    private static final int ASSEMBLY = 2 * LARGE + (256 << 10);
    /** More than the system takes for a reader that does not read. */
    private static final int FULL_SOCKET = 600_000;

    /** What its two publishers keep of begun frames. */
    private static final long OF_THE_PAIR = 2 << 12;

    private final Set<Session> known = new HashSet<>();
    private int broken;
    private int readers;
    private TestRelay relay;
    private HealthyPair pair;

    /** What comes from the channel when a session is spoilt. */
    private enum When {
        BEFORE_READ,
        BEHIND_READ,
        BEFORE_READ_COMPLETE,
        BEHIND_READ_COMPLETE,
        BEFORE_WRITABILITY
    }

    /** Spoils a session once, between its channel and itself. */
    private static final class Saboteur extends ChannelInboundHandlerAdapter {
        private final When when;
        private final Runnable spoil;
        private boolean done;

        Saboteur(When when, Runnable spoil) {
            this.when = when;
            this.spoil = spoil;
        }

        private void at(When now) {
            if (now == when && !done) {
                done = true;
                spoil.run();
            }
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            at(When.BEFORE_READ);
            ctx.fireChannelRead(message);
            at(When.BEHIND_READ);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            at(When.BEFORE_READ_COMPLETE);
            ctx.fireChannelReadComplete();
            at(When.BEHIND_READ_COMPLETE);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            at(When.BEFORE_WRITABILITY);
            ctx.fireChannelWritabilityChanged();
        }
    }

    @ParameterizedTest(name = "{0} reader loops")
    @ValueSource(ints = {0, 1})
    void nobodyElseNotices(int readerLoops) throws Exception {
        readers = readerLoops;
        try (Attack attack = new Attack(readers, b -> b.set(ASSEMBLY_SIZE, ASSEMBLY))) {
            relay = attack.relay;
            pair = attack.pair;
            pair.push(1 << 20);
            pair.begin();
            known.addAll(Sessions.of(relay.relay()));
            long before = Sessions.used(relay.relay(), Part.CONNECTIONS);
            for (int i = 0; i < TIMES; i++) {
                publishersInTheirSteps();
                subscribersInTheirSteps();
            }
            pair.end(broken + " sessions that throw");
            RelayStats stats = relay.stats();
            assertThat(relay.closed(CloseReason.INTERNAL_ERROR)).as("%s", stats).isEqualTo(broken);
            relay.awaitPublishers(HealthyPair.PUBLISHERS);
            relay.awaitSubscribers(1);
            attack.memory.assertWithinBudget(relay);
            pair.push(4 << 20);
            pair.finish();
            Await.until(
                    () -> "all memory is given back: " + relay.stats(),
                    () -> Sessions.used(relay.relay(), Part.CONNECTIONS) <= before + OF_THE_PAIR
                            && Sessions.used(relay.relay(), Part.FRAMES) == 0
                            && Sessions.used(relay.relay(), Part.CONTROL) == 0
                            && relay.stats().get(Counter.CHUNKS_ASIDE) == 0);
        }
    }

    // ---- publishers ------------------------------------------------------------------------------------------

    private void publishersInTheirSteps() throws Exception {
        publisher("whereToRead", c -> Sessions.onItsThread(c, () -> Sessions.takeAway(c, "segment")));
        publisher("channelRead", c -> spoil(c, When.BEFORE_READ, "segment"));
        publisher("tick", c -> Sessions.onItsThread(c, () -> Sessions.takeAway(c, "timeouts")));
        publisher("a task", ThrowingSessionsTest::throwInATask);
        publisher("a task, an Error", c -> c.execute(ThrowingSessionsTest::throwAnError));
        publisher("a read, an Error", c -> spoil(c, When.BEHIND_READ, ThrowingSessionsTest::throwAnError));
        named("channelReadComplete", When.BEFORE_READ_COMPLETE);
        named("acknowledge", When.BEHIND_READ_COMPLETE);
        granted();
    }

    private interface Spoil {
        void accept(Session connection) throws Exception;
    }

    private void publisher(String step, Spoil spoil) throws Exception {
        try (TalkingPublisher client = TalkingPublisher.connect(relay.publish())) {
            client.send(new Frames().frame(Frames.type(HealthyPair.FIRST_OTHER, broken), 10));
            Session connection = newOne(Role.PUBLISHER);
            Await.until("its message", () -> Sessions.messages(connection) == 1);
            // With loops that only read it moves to one of them now.
            Await.until(
                    "its loop",
                    () -> readers == 0 || !Sessions.thread(connection).equals(Sessions.CORE));
            spoil.accept(connection);
            sendUnlessEnded(client, new Frames().header(1, 1000));
            awaitEnd("publisher." + step);
        }
    }

    /** A step that needs nothing to be sent may have ended the session already. */
    private static void sendUnlessEnded(TalkingPublisher client, Frames frames) {
        try {
            client.send(frames);
        } catch (IOException ended) {
            // It is looked at next why it has.
        }
    }

    private void named(String step, When when) throws Exception {
        Hello hello = Hello.acks("name-" + broken, 1).producer(1, broken + 1);
        try (TalkingPublisher client = TalkingPublisher.connect(relay, hello)) {
            client.await(Hello.WELCOME);
            spoil(newOne(Role.PUBLISHER), when, "dialogue");
            client.send(new Frames().frame(Frames.type(HealthyPair.FIRST_OTHER, broken), 10));
            awaitEnd("publisher." + step);
        }
    }

    /** There is memory for two long frames at a time: the third one has waited for it, and throws when it gets it. */
    private void granted() throws Exception {
        byte[] begun = new Frames().header(1, LARGE).raw(new byte[100_000]).bytes();
        try (TalkingPublisher first = TalkingPublisher.connect(relay.publish());
                TalkingPublisher second = TalkingPublisher.connect(relay.publish())) {
            long waits = relay.stats().get(Counter.ASSEMBLY_WAITS);
            first.send(begun);
            second.send(begun);
            Await.until(
                    () -> "they have the memory: " + relay.stats(),
                    () -> Sessions.used(relay.relay(), Part.FRAMES) >= 2 * LARGE);
            known.addAll(Sessions.of(relay.relay()));
            try (TalkingPublisher third = TalkingPublisher.connect(relay.publish())) {
                third.send(begun);
                Session connection = newOne(Role.PUBLISHER);
                Await.until("it waits", () -> relay.stats().get(Counter.ASSEMBLY_WAITS) > waits);
                Sessions.onItsThread(connection, () -> Sessions.takeAway(connection, "reads"));
                first.reset();
                awaitEnd("publisher.granted");
            }
        }
    }

    // ---- subscribers -----------------------------------------------------------------------------------------

    private void subscribersInTheirSteps() throws Exception {
        subscriber("send", c -> Sessions.onItsThread(c, () -> takeWriter(c)));
        subscriber("tick", c -> Sessions.onItsThread(c, () -> Sessions.takeAway(c, "timeouts")));
        subscriber("a task", ThrowingSessionsTest::throwInATask);
        subscriber("a task, an Error", c -> c.execute(ThrowingSessionsTest::throwAnError));
        speaking("channelRead", When.BEFORE_READ, c -> Sessions.takeAway(c, "heartbeat"));
        speaking("say", When.BEHIND_READ, c -> Sessions.set(Sessions.get(c.role(), "join"), "hello", null));
        writable();
    }

    private void subscriber(String step, Spoil spoil) throws Exception {
        try (PlainSubscriber client = PlainSubscriber.connect(relay.subscribe())) {
            spoil.accept(newOne(Role.SUBSCRIBER));
            client.awaitEnd();
            awaitEnd("subscriber." + step);
        }
    }

    private void speaking(String step, When when, Consumer<Session> take) throws Exception {
        try (PlainSubscriber client = PlainSubscriber.connect(relay.subscribe())) {
            Session connection = newOne(Role.SUBSCRIBER);
            spoil(connection, when, () -> take.accept(connection));
            client.hello(HelloFrame.subscriber().build().encode());
            client.awaitEnd();
            awaitEnd("subscriber." + step);
        }
    }

    private void writable() throws Exception {
        try (PlainSubscriber client = PlainSubscriber.connectPaused(relay.subscribe(), 0)) {
            Session connection = newOne(Role.SUBSCRIBER);
            pair.push(FULL_SOCKET, 1000);
            Await.until("a full socket", () -> !Sessions.channel(connection).isWritable());
            spoil(connection, When.BEFORE_WRITABILITY, () -> takeWriter(connection));
            client.resume();
            client.awaitEnd();
            awaitEnd("subscriber.channelWritabilityChanged");
        }
    }

    // ---- both ------------------------------------------------------------------------------------------------

    private Session newOne(Role role) {
        Supplier<Optional<Session>> found = () -> Sessions.of(relay.relay()).stream()
                .filter(c -> c.kind() == role && !known.contains(c))
                .findFirst();
        Await.until("a connection of a " + role, () -> found.get().isPresent());
        Session connection = found.get().orElseThrow();
        known.add(connection);
        return connection;
    }

    private static void spoil(Session connection, When when, String field) throws Exception {
        spoil(connection, when, () -> Sessions.takeAway(connection, field));
    }

    private static void spoil(Session connection, When when, Runnable how) throws Exception {
        Sessions.onItsThread(
                connection, () -> Sessions.channel(connection).pipeline().addFirst(new Saboteur(when, how)));
    }

    /** What a subscriber's socket is written through. */
    private static void takeWriter(Session subscriber) {
        Sessions.set(Sessions.get(subscriber.role(), "delivery"), "writer", null);
    }

    /** One rule for errors and exceptions, wherever in a session they are thrown. */
    private static void throwAnError() {
        throw new StackOverflowError("an error that the test made");
    }

    private static void throwInATask(Session connection) {
        connection.execute(() -> {
            throw new IllegalStateException("a fault that the test made");
        });
    }

    private void awaitEnd(String step) {
        broken++;
        Await.until(
                () -> step + " ends its session, the one number " + broken + ": " + relay.stats(),
                () -> relay.closed(CloseReason.INTERNAL_ERROR) >= broken);
        assertThat(relay.closed(CloseReason.INTERNAL_ERROR)).as(step).isEqualTo(broken);
    }
}
