package dev.msgrelay.server.assembly;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.access.Refusal;
import dev.msgrelay.server.connection.Admission;
import dev.msgrelay.server.connection.EngineLoop;
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

/**
 * Makes a connection of an accepted channel: admits or refuses it, adds TLS if its port has it, and places it on a
 * loop. Called on the core's thread.
 *
 * @param coreInlet port of publishers, which are read on the core's loop at first
 * @param refused the refused connections, all on the core's loop
 */
record ChannelSetup(
        Services services,
        ByteBufAllocator allocator,
        PublisherConnection.Shared publishing,
        FanoutParts subscribing,
        Inlet coreInlet,
        EngineLoop core,
        RefusedConnection.Newest refused) {
    /** A write buffer's water marks that make a channel writable exactly while nothing is pending. */
    private static final WriteBufferWaterMark NOTHING_PENDING = new WriteBufferWaterMark(1, 1);

    /**
     * Sets up an accepted channel, and returns the loop that it lives on.
     *
     * @param tls TLS of the channel's port; null: a plain port
     */
    EngineLoop place(Channel accepted, Role role, TlsContext tls) {
        boolean publisher = role == Role.PUBLISHER;
        accepted.config().setAllocator(allocator);
        accepted.config().setWriteBufferWaterMark(NOTHING_PENDING);
        Admission.Answer answer = services.admission()
                .admit(publisher, accepted.remoteAddress(), services.clock().nanoTime());
        if (answer.refusal() != null) {
            refuse(accepted, answer.refusal(), tls);
            return core;
        }
        try {
            return publisher ? publisher(accepted, tls, answer.ticket()) : subscriber(accepted, tls, answer.ticket());
        } catch (Throwable e) {
            // The ticket goes back: this channel never became a connection, so nobody reports its end.
            services.admission().left(answer.ticket());
            throw e;
        }
    }

    private EngineLoop publisher(Channel accepted, TlsContext tls, Admission.Ticket ticket) {
        PublisherConnection connection = new PublisherConnection(services, publishing, coreInlet, allocator);
        // One read a cycle: it is sent from the cache.
        accepted.config().setRecvByteBufAllocator(new SocketReads(connection.reader(), 1));
        // A publisher that has gone, and cannot be written to any more, is still read to its end.
        accepted.config().setAutoClose(false);
        if (tls == null || secure(accepted, tls, connection.reader(), ticket)) {
            connection.session().join(accepted, ticket);
        }
        return core;
    }

    private EngineLoop subscriber(Channel accepted, TlsContext tls, Admission.Ticket ticket) {
        SubscriberConnection connection = new SubscriberConnection(services, subscribing);
        accepted.config().setRecvByteBufAllocator(new SocketReads(connection, 1));
        if (tls != null && !secure(accepted, tls, connection, ticket)) {
            return core;
        }
        // The last step, so that nothing that fails leaves a seat taken.
        connection.session().join(accepted, ticket);
        return connection.takeSeat();
    }

    private void refuse(Channel accepted, Refusal refusal, TlsContext tls) {
        // A client in the middle of its handshake knows an ERROR in plain text by its first bytes, and nothing else.
        Refusal why = tls == null ? refusal : new Refusal(refusal.reason(), refusal.text(), Refusal.NO_WAIT);
        // At most one read a cycle.
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
        refuse(accepted, new Refusal(CloseReason.MEMORY_LIMIT, text), tls);
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
            services.closes()
                    .probed("connection " + AcceptedSocket.peerName(channel), channel.remoteAddress(), nowNanos);
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
