package dev.msgrelay.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.assembly.EngineAssembly;
import dev.msgrelay.server.assembly.RelayEngine;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.config.RelayOption;
import dev.msgrelay.server.connection.RelayIdentity;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.stream.Orderer;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.EventLoop;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An engine whose core is driven one step after the other: sockets and tasks by {@link #socketsAndTasks}, order and
 * sends by {@link #cycle}. Other threads may look, or have something to say, between any two of them.
 */
final class StepsRig implements AutoCloseable {
    static final int MAX_BODY = 1000;
    static final int ENOUGH = 1 << 20;

    final List<Throwable> failures = new ArrayList<>();
    final RelayEngine engine;
    private final World world = new World(1);
    private final SimLoop loop = new SimLoop(world);
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final List<Client> clients = new ArrayList<>();

    /** @param journal null: there is none */
    StepsRig(Journal journal) {
        this(journal, null);
    }

    /** @param orderer null: the relay is alone */
    StepsRig(Journal journal, Orderer orderer) {
        RelayConfig config = RelayConfig.builder()
                .set(RelayOption.RING_SIZE, 1 << 20)
                .set(RelayOption.LOG_SIZE, 3 << 20)
                .set(RelayOption.MAX_BODY, MAX_BODY)
                .build();
        RelayIdentity identity = new RelayIdentity("relay", MAX_BODY);
        engine = new EngineAssembly(config, allocator, world.clock, 7, identity, this::failed, loop.loop)
                .journal(Optional.ofNullable(journal), Optional.empty())
                .orderer(Optional.ofNullable(orderer))
                .build();
    }

    private void failed(Throwable failure) {
        if (failure != SimLoop.ASLEEP) {
            failures.add(failure);
        }
    }

    /** The loop's work before its duty. */
    void socketsAndTasks() {
        loop.loop.io().runNow();
    }

    void cycle() {
        loop.poke();
    }

    void closeConnections() {
        engine.closeConnections();
        for (int i = 0; i < 100 && !engine.services().table().allGone(); i++) {
            clients.forEach(c -> c.channel.read(ENOUGH));
            clients.forEach(c -> c.channel.finish());
            world.advance(1_000_000_000);
            cycle();
        }
        assertThat(engine.services().table().allGone()).isTrue();
    }

    @Override
    public void close() {
        loop.end();
        engine.release();
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    /** One more client, whose socket takes nothing until it reads. */
    Client connect(Role role) {
        Client client = new Client(role, clients.size() + 1);
        clients.add(client);
        return client;
    }

    final class Client implements SimChannel.Other {
        final ByteArrayOutputStream got = new ByteArrayOutputStream();
        final SimChannel channel;

        private Client(Role role, int number) {
            channel = new SimChannel(world, number, null, new InetSocketAddress("10.0.0.1", 10_000 + number));
            channel.other = this;
            EventLoop io = engine.place(channel, role, Optional.empty()).io();
            io.register(channel);
        }

        void deliver(byte[] bytes) {
            channel.deliver(Unpooled.wrappedBuffer(bytes));
        }

        List<Control> frames() {
            return Control.all(ByteBuffer.wrap(got.toByteArray()));
        }

        @Override
        public void took(byte[] bytes) {
            got.writeBytes(bytes);
        }
    }
}
