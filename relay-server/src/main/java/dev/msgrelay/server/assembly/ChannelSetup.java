package dev.msgrelay.server.assembly;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.access.Peer;
import dev.msgrelay.server.access.Refusal;
import dev.msgrelay.server.config.ProxyConfig;
import dev.msgrelay.server.connection.Admission;
import dev.msgrelay.server.connection.EngineLoop;
import dev.msgrelay.server.connection.ProxiedConnection;
import dev.msgrelay.server.connection.RefusedConnection;
import dev.msgrelay.server.connection.Services;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.net.AcceptedSocket;
import dev.msgrelay.server.net.SocketReads;
import dev.msgrelay.server.publish.Inlet;
import dev.msgrelay.server.publish.PublisherConnection;
import dev.msgrelay.server.subscribe.FanoutParts;
import dev.msgrelay.server.subscribe.SubscriberConnection;
import dev.msgrelay.server.tls.TlsContext;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Turns an accepted channel into a connection: admits or refuses the client, adds TLS if the port has TLS, and chooses
 * the loop. Called on the core's thread.
 *
 * @param coreInlet takes the messages of publishers that are read on the core's loop, where every publisher begins
 * @param refused keeps the newest refused connections
 */
record ChannelSetup(
        Services services,
        ByteBufAllocator allocator,
        PublisherConnection.Shared publishing,
        FanoutParts subscribing,
        Inlet coreInlet,
        EngineLoop core,
        RefusedConnection.Newest refused) {
    /** Water marks of a write buffer that make a channel writable only while no byte is pending. */
    private static final WriteBufferWaterMark NOTHING_PENDING = new WriteBufferWaterMark(1, 1);

    /** Most reads of a publisher in one cycle, 64 KiB each. Their bytes are still in the cache when they are sent. */
    private static final int PUBLISHER_READS = 4;

    /** Sets up an accepted channel, with TLS if its port has TLS, and returns the channel's loop. */
    EngineLoop place(Channel accepted, Role role, Optional<TlsContext> tls) {
        boolean publisher = role == Role.PUBLISHER;
        configure(accepted);
        Admission.Answer answer = services.admission()
                .admit(publisher, Peer.address(accepted), services.clock().nanoTime());
        if (answer.refusal() != null) {
            refuse(accepted, answer.refusal(), tls.isPresent());
            return core;
        }
        try {
            return publisher ? publisher(accepted, tls, answer.ticket()) : subscriber(accepted, tls, answer.ticket());
        } catch (Throwable e) {
            // No connection was made that would give the ticket back at its end.
            services.admission().left(answer.ticket());
            throw e;
        }
    }

    /**
     * Sets up a channel of a port behind proxies, and returns the channel's loop. The connection is made when its PROXY
     * header has come; until then its client is not known.
     */
    EngineLoop placeProxied(Channel accepted, Role role, Optional<TlsContext> tls, ProxyConfig proxies) {
        configure(accepted);
        if (!proxies.trusts(accepted.remoteAddress())) {
            services.counters().increment(Counter.PROXY_UNTRUSTED);
            String text = "this port takes clients only through its proxies, and this address is none of them";
            refuse(accepted, new Refusal(CloseReason.NOT_PERMITTED, text), tls.isPresent());
            return core;
        }
        Admission.Answer answer = services.admission()
                .admitUnnamed(role == Role.PUBLISHER, services.clock().nanoTime());
        if (answer.refusal() != null) {
            refuse(accepted, answer.refusal(), tls.isPresent());
            return core;
        }
        try {
            if (role == Role.PUBLISHER) {
                awaitHeader(accepted, tls, answer.ticket(), named -> publisher(accepted, tls, named), () -> {});
                return core;
            }
            SubscriberConnection connection = new SubscriberConnection(services, subscribing);
            awaitHeader(
                    accepted,
                    tls,
                    answer.ticket(),
                    named -> join(accepted, tls, connection, named),
                    connection::channelClosed);
            // The seat is taken now, since the channel stays on the loop where its header is read.
            return connection.takeSeat();
        } catch (Throwable e) {
            // Listeners of the close, which give the ticket back otherwise, do not hear of a channel that gets no loop.
            services.admission().left(answer.ticket());
            throw e;
        }
    }

    private void configure(Channel accepted) {
        accepted.config().setAllocator(allocator);
        accepted.config().setWriteBufferWaterMark(NOTHING_PENDING);
    }

    private void awaitHeader(
            Channel accepted,
            Optional<TlsContext> tls,
            Admission.Ticket ticket,
            Consumer<Admission.Ticket> arrival,
            Runnable closed) {
        ProxiedConnection.addTo(accepted, services, ticket, new ProxiedConnection.Successor() {
            @Override
            public void join(Admission.Ticket named) {
                try {
                    arrival.accept(named);
                } catch (Throwable e) {
                    services.admission().left(named);
                    throw e;
                }
            }

            @Override
            public void refuse(Refusal why) {
                ChannelSetup.this.refuse(accepted, why, tls.isPresent());
            }

            @Override
            public void closed() {
                closed.run();
            }
        });
    }

    private EngineLoop publisher(Channel accepted, Optional<TlsContext> tls, Admission.Ticket ticket) {
        PublisherConnection connection = new PublisherConnection(services, publishing, coreInlet, allocator);
        accepted.config().setRecvByteBufAllocator(new SocketReads(connection.reader(), PUBLISHER_READS));
        // Off, so that after a failed write the relay still reads all bytes that the publisher has sent.
        accepted.config().setAutoClose(false);
        if (tls.isEmpty() || secure(accepted, tls.get(), connection.reader(), ticket)) {
            connection.session().join(accepted, ticket);
        }
        return core;
    }

    private EngineLoop subscriber(Channel accepted, Optional<TlsContext> tls, Admission.Ticket ticket) {
        SubscriberConnection connection = new SubscriberConnection(services, subscribing);
        // takeSeat counts the subscriber. The call comes last, so that a failure before it cannot make the count wrong.
        return join(accepted, tls, connection, ticket) ? connection.takeSeat() : core;
    }

    /** Adds a subscriber to a channel; returns false if it was refused instead. */
    private boolean join(
            Channel accepted, Optional<TlsContext> tls, SubscriberConnection connection, Admission.Ticket ticket) {
        accepted.config().setRecvByteBufAllocator(new SocketReads(connection, 1));
        if (tls.isPresent() && !secure(accepted, tls.get(), connection, ticket)) {
            return false;
        }
        connection.session().join(accepted, ticket);
        return true;
    }

    private void refuse(Channel accepted, Refusal refusal, boolean secured) {
        // Within the TLS handshake a client recognises the first bytes of an ERROR, but not those of RETRY_AFTER.
        Refusal why = secured ? new Refusal(refusal.reason(), refusal.text(), Refusal.NO_WAIT) : refusal;
        accepted.config()
                .setRecvByteBufAllocator(
                        new FixedRecvByteBufAllocator(RefusedConnection.READ_BYTES).maxMessagesPerRead(1));
        accepted.pipeline().addLast(new RefusedConnection(services, refused, why));
    }

    /** Adds TLS to a channel. If there is no memory for TLS, refuses the connection and gives its ticket back. */
    private boolean secure(Channel accepted, TlsContext tls, SocketReads.Reader reader, Admission.Ticket ticket) {
        MemoryBudget.Pool memory = services.budget().pool(Part.TLS);
        if (tls.secure(accepted, memory, reader, new CountedTls())) {
            return true;
        }
        String text = "TLS connections have all of the " + memory.limit() + " bytes of their memory";
        refuse(accepted, new Refusal(CloseReason.MEMORY_LIMIT, text), true);
        services.admission().left(ticket);
        return false;
    }

    private final class CountedTls implements TlsContext.Watch {
        @Override
        public void opened() {
            services.counters().increment(Counter.TLS_HANDSHAKES);
        }

        @Override
        public void ended(Channel channel, CloseReason reason, String text, Optional<Throwable> fault) {
            services.counters().increment(Counter.TLS_FAILURES);
            String who = "connection " + AcceptedSocket.peerName(channel);
            long nowNanos = services.clock().nanoTime();
            services.closes().closed(who, reason, text, nowNanos);
            fault.ifPresent(cause -> services.closes().failed(who, cause, nowNanos));
        }

        @Override
        public void probed(Channel channel) {
            long nowNanos = services.clock().nanoTime();
            services.closes().probed("connection " + AcceptedSocket.peerName(channel), Peer.address(channel), nowNanos);
        }

        @Override
        public void plain() {
            services.counters().increment(Counter.PLAIN_ON_TLS_PORT);
        }

        @Override
        public void small() {
            services.counters().increment(Counter.TLS_SMALL_WRITES);
        }
    }
}
