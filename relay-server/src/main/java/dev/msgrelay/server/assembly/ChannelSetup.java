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
 * Turns an accepted channel into a connection: admits or refuses the client, adds TLS if the port has TLS, and chooses
 * the loop. Called on the core's thread.
 *
 * @param coreInlet takes the messages of publishers that are read on the core's loop, where every publisher begins
 * @param refused keeps the newest refused connections, all on the core's loop
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

    /** Sets up an accepted channel, with TLS if its port has TLS, and returns the channel's loop. */
    EngineLoop place(Channel accepted, Role role, Optional<TlsContext> tls) {
        boolean publisher = role == Role.PUBLISHER;
        accepted.config().setAllocator(allocator);
        accepted.config().setWriteBufferWaterMark(NOTHING_PENDING);
        Admission.Answer answer = services.admission()
                .admit(publisher, accepted.remoteAddress(), services.clock().nanoTime());
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

    private EngineLoop publisher(Channel accepted, Optional<TlsContext> tls, Admission.Ticket ticket) {
        PublisherConnection connection = new PublisherConnection(services, publishing, coreInlet, allocator);
        // One read a cycle, so that its bytes are still in the processor's cache when they are sent.
        accepted.config().setRecvByteBufAllocator(new SocketReads(connection.reader(), 1));
        // Off, so that after a failed write the relay still reads all bytes that the publisher has sent.
        accepted.config().setAutoClose(false);
        if (tls.isEmpty() || secure(accepted, tls.get(), connection.reader(), ticket)) {
            connection.session().join(accepted, ticket);
        }
        return core;
    }

    private EngineLoop subscriber(Channel accepted, Optional<TlsContext> tls, Admission.Ticket ticket) {
        SubscriberConnection connection = new SubscriberConnection(services, subscribing);
        accepted.config().setRecvByteBufAllocator(new SocketReads(connection, 1));
        if (tls.isPresent() && !secure(accepted, tls.get(), connection, ticket)) {
            return core;
        }
        // takeSeat counts the subscriber. The call comes last, so that a failure before it cannot make the count wrong.
        connection.session().join(accepted, ticket);
        return connection.takeSeat();
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
