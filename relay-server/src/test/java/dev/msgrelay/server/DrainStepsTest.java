package dev.msgrelay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.core.EngineLoop;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.session.RelayIdentity;
import dev.msgrelay.server.sim.Asleep;
import dev.msgrelay.server.sim.SimChannel;
import dev.msgrelay.server.sim.SimLoop;
import dev.msgrelay.server.sim.World;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The end of a relay, one step of the core's loop after the other: sockets and tasks by {@link #socketsAndTasks}, order and
 * sends by {@link #cycle}. The shutdown may look between any two of them.
 */
class DrainStepsTest {
    private static final int MAX_BODY = 1000;
    private static final int ENOUGH = 1 << 20;

    private final World world = new World(1);
    private final SimLoop loop = new SimLoop(world, 0);
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private RelayEngine engine;
    private Client publisher;
    private Client subscriber;

    @BeforeEach
    void start() {
        RelayConfig config = RelayConfig.builder()
                .ringSize(1 << 20)
                .logSize(3 << 20)
                .maxBody(MAX_BODY)
                .build();
        engine = new RelayEngine(
                config,
                new EngineLoop[] {loop.loop()},
                null,
                allocator,
                world.clock(),
                new RelayIdentity(7, "relay", MAX_BODY),
                true,
                null,
                null,
                failure -> {
                    if (!(failure instanceof Asleep)) {
                        throw new AssertionError(failure);
                    }
                });
        subscriber = new Client(Role.SUBSCRIBER, 1);
        publisher = new Client(Role.PUBLISHER, 2);
        cycle();
        cycle();
    }

    @AfterEach
    void end() {
        engine.closeConnections();
        for (int i = 0; i < 100 && !engine.table().allGone(); i++) {
            publisher.channel.read(ENOUGH);
            subscriber.channel.read(ENOUGH);
            publisher.channel.finish();
            subscriber.channel.finish();
            world.advance(1_000_000_000);
            cycle();
        }
        assertThat(engine.table().allGone()).isTrue();
        loop.end();
        engine.release();
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    /** What the loop does before its duty. */
    private void socketsAndTasks() {
        loop.loop().io().runNow();
    }

    /** A whole cycle. */
    private void cycle() {
        loop.poke();
    }

    private static byte[] message() {
        return new Frames().frame(5, 100).bytes();
    }

    private void assertGoesOutBeforeItIsDrained() {
        assertThat(engine.drained()).as("it is read, and not in the stream").isFalse();
        cycle();
        assertThat(engine.drained()).as("in the stream, and not sent").isFalse();
        assertThat(subscriber.got.size()).isZero();
        subscriber.channel.read(ENOUGH);
        cycle();
        cycle();
        assertThat(subscriber.got.toByteArray()).isEqualTo(message());
        assertThat(engine.drained()).isTrue();
    }

    @Test
    void aMessageReadInTheStepThatStopsReading() {
        publisher.deliver(message());
        engine.stopReading(1000);
        socketsAndTasks();
        assertGoesOutBeforeItIsDrained();
    }

    /** Its publisher gets an ACK as it is closed. */
    @Test
    void anAcknowledgedMessage() {
        publisher.channel.read(ENOUGH);
        publisher.deliver(Hello.acks("orders", 1).bytes());
        cycle();
        publisher.deliver(message());
        engine.stopReading(1000);
        socketsAndTasks();
        assertGoesOutBeforeItIsDrained();
        assertThat(acked()).isEqualTo(1);
    }

    /** It is closed in the middle of the step, and the relay does not wait for one that is closed. */
    @Test
    void aMessageOfAPublisherThatIsClosedForWhatComesBehindIt() {
        publisher.deliver(new Frames().frame(5, 100).header(6, -1).bytes());
        socketsAndTasks();
        engine.stopReading(1000);
        socketsAndTasks();
        assertGoesOutBeforeItIsDrained();
    }

    @Test
    void aMessageOfAPublisherThatHasGone() {
        publisher.deliver(message());
        publisher.channel.finish();
        socketsAndTasks();
        socketsAndTasks();
        engine.stopReading(1000);
        socketsAndTasks();
        assertThat(engine.table().publishers()).isZero();
        assertGoesOutBeforeItIsDrained();
    }

    /** The number of the last message that ACK tells. */
    private long acked() {
        ByteBuffer told = ByteBuffer.wrap(publisher.got.toByteArray());
        long number = 0;
        while (told.hasRemaining()) {
            int type = told.getInt();
            ByteBuffer body = told.slice(told.position() + Integer.BYTES, told.getInt(told.position()));
            told.position(told.position() + Integer.BYTES + body.remaining());
            if (type == Hello.ACK) {
                number = body.getLong();
            }
        }
        return number;
    }

    /** One end of a connection, whose socket takes nothing until the test reads. */
    private final class Client implements SimChannel.Other {
        private final ByteArrayOutputStream got = new ByteArrayOutputStream();
        private final SimChannel channel;

        Client(Role role, int number) {
            channel = new SimChannel(
                    world, number, io -> loop, null, new InetSocketAddress("10.0.0.1", 10_000 + number), true);
            channel.connect(this);
            engine.place(channel, role, null).register(channel);
        }

        void deliver(byte[] bytes) {
            channel.deliver(bytes, 0, bytes.length);
        }

        @Override
        public void wasRead(int length) {}

        @Override
        public void took(byte[] bytes, int length) {
            got.write(bytes, 0, length);
        }

        @Override
        public void registered() {}

        @Override
        public void beforeWrite() {}

        @Override
        public void ended(boolean whole) {}
    }
}
