package dev.msgrelay.server.connection;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.access.Peer;
import dev.msgrelay.server.access.Refusal;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.net.AcceptedSocket;
import dev.msgrelay.server.net.HandedOnReads;
import dev.msgrelay.server.net.ProxyHeader;
import dev.msgrelay.server.net.SocketReads;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * A connection of a proxy, until the header of the PROXY protocol has told the address of the proxy's client. Then the
 * connection is admitted by that address, and this handler makes place for the handlers of TLS and of the role. Owned
 * by the channel's loop.
 */
public final class ProxiedConnection extends ChannelInboundHandlerAdapter implements SocketReads.Reader {
    /** Takes the connection over when its header has come, or when it is known that none will come. */
    public interface Successor {
        /** Adds the connection's handlers to its channel. The ticket is for the address of the proxy's client. */
        void join(Admission.Ticket ticket);

        /** Adds the handlers of a refused connection to its channel. */
        void refuse(Refusal why);

        /** Called when the channel has closed, whatever came before. */
        void closed();
    }

    private final Channel channel;
    private final Services services;
    private final Admission.Ticket ticket;
    private final Successor successor;
    private final ProxyHeader header = new ProxyHeader();
    // Whether the ticket still has to be given back here.
    private boolean admitted = true;
    // Whether the end of the connection has been counted already. Further input is thrown away.
    private boolean ended;
    private int directBytes;
    private int heapBytes;
    private Future<?> deadline = CompletableFuture.completedFuture(null);

    private ProxiedConnection(Channel channel, Services services, Admission.Ticket ticket, Successor successor) {
        this.channel = channel;
        this.services = services;
        this.ticket = ticket;
        this.successor = successor;
    }

    /** @param ticket of {@link Admission#admitUnnamed}; it is given back if the connection ends before it is joined */
    public static void addTo(Channel accepted, Services services, Admission.Ticket ticket, Successor successor) {
        ProxiedConnection connection = new ProxiedConnection(accepted, services, ticket, successor);
        accepted.config().setRecvByteBufAllocator(new HandedOnReads(new SocketReads(connection, 1)));
        accepted.pipeline().addLast(connection);
        // If a channel closes before it is registered with a loop, no handler is called.
        accepted.closeFuture().addListener(closed -> connection.release());
    }

    private void release() {
        deadline.cancel(false);
        giveMemoryBack();
        if (admitted) {
            admitted = false;
            services.admission().left(ticket);
        }
        successor.closed();
    }

    private void giveMemoryBack() {
        services.budget().pool(Part.CONNECTIONS).giveBack(directBytes);
        directBytes = 0;
        giveHeapBack();
    }

    private void giveHeapBack() {
        services.budget().pool(Part.CONTROL).giveBack(heapBytes);
        heapBytes = 0;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        long millis = services.clients().handshakeTimeout().toMillis();
        deadline = channel.eventLoop().schedule(() -> timedOut(millis), millis, TimeUnit.MILLISECONDS);
        if (services.budget().pool(Part.CONNECTIONS).tryTake(RefusedConnection.SAID_BYTES)) {
            directBytes = RefusedConnection.SAID_BYTES;
        } else {
            // Never so, as the budget has at least this much for each ticket.
            failed(new IllegalStateException("no memory for a PROXY header"));
        }
    }

    private void timedOut(long millis) {
        refuse(
                CloseReason.HANDSHAKE_TIMEOUT,
                "no PROXY header within " + millis + " ms: " + header.length() + " bytes of it have come");
    }

    // ---- the header ---------------------------------------------------------------------------------------------

    @Override
    public ByteBuf whereToRead() {
        int most = ended ? RefusedConnection.READ_BYTES : header.mostToRead();
        return channel.alloc().directBuffer(most, most);
    }

    @Override
    public boolean isDeaf() {
        return ended;
    }

    @Override
    public boolean mayEnd() {
        return true;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        try {
            if (!ended) {
                look(header.add((ByteBuf) msg, this::reserve));
            }
        } finally {
            ReferenceCountUtil.release(msg);
        }
    }

    private boolean reserve(int bytes) {
        boolean taken = services.budget().pool(Part.CONTROL).tryTake(bytes);
        heapBytes = taken ? bytes : 0;
        return taken;
    }

    private void look(ProxyHeader.State state) {
        switch (state) {
            case INCOMPLETE -> {}
            case WHOLE -> decode();
            case ABSENT ->
                refuse(
                        CloseReason.UNEXPECTED_INPUT,
                        "the first bytes are no PROXY header, and this port takes clients only through a proxy that sends"
                                + " it, as with send-proxy-v2 of HAProxy or proxy_protocol of nginx");
            case TOO_LONG ->
                refuse(
                        CloseReason.UNEXPECTED_INPUT,
                        "a PROXY header of version 1 has no end within " + ProxyHeader.MOST_1 + " bytes, its limit");
            case NO_ROOM ->
                refuse(
                        CloseReason.MEMORY_LIMIT,
                        "a PROXY header of " + header.wholeLength() + " bytes finds no room in --control-size");
        }
    }

    private void decode() {
        Optional<InetSocketAddress> client;
        try {
            client = header.client();
        } catch (IllegalArgumentException e) {
            refuse(CloseReason.UNEXPECTED_INPUT, "a malformed PROXY header: " + Peer.printable(e.getMessage()));
            return;
        }
        client.ifPresentOrElse(this::arrived, this::endOwn);
    }

    private void arrived(InetSocketAddress client) {
        channel.attr(Peer.PROXIED).set(client);
        services.counters().increment(Counter.PROXY_HEADERS);
        admitted = false;
        Admission.Answer answer =
                services.admission().readmit(ticket, client, services.clock().nanoTime());
        if (answer.refusal() != null) {
            handOver(() -> successor.refuse(answer.refusal()));
        } else {
            handOver(() -> successor.join(answer.ticket()));
        }
    }

    /** Ends a connection that the proxy has opened for itself, as it does for checks. */
    private void endOwn() {
        ended = true;
        deadline.cancel(false);
        header.drop();
        giveHeapBack();
        services.closes()
                .ofProxy(
                        "connection " + AcceptedSocket.peerName(channel),
                        channel.remoteAddress(),
                        services.clock().nanoTime());
        Closing.say(
                channel,
                new Refusal(
                        CloseReason.UNSUPPORTED,
                        "the PROXY header names no client that has an address: it is a check of the proxy, which"
                                + " belongs at --health, or the proxy does not know its client's address"));
    }

    // ---- the end ------------------------------------------------------------------------------------------------

    private void refuse(CloseReason reason, String text) {
        services.counters().increment(Counter.PROXY_REFUSED);
        handOver(() -> successor.refuse(new Refusal(reason, text)));
    }

    /** Replaces this handler by those that the successor adds, and tells these that the channel is active. */
    private void handOver(Runnable successors) {
        ended = true;
        deadline.cancel(false);
        // The channel's reads and its close know this object until the channel closes.
        header.drop();
        giveMemoryBack();
        channel.pipeline().remove(this);
        try {
            successors.run();
        } catch (Throwable e) {
            // Nobody else would close the channel, which has no handler now.
            failed(e);
            return;
        }
        channel.pipeline().fireChannelActive();
    }

    private void failed(Throwable cause) {
        ended = true;
        services.closes()
                .failed(
                        "connection " + AcceptedSocket.peerName(channel),
                        cause,
                        services.clock().nanoTime());
        channel.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (ended) {
            return;
        }
        ended = true;
        String who = "connection " + AcceptedSocket.peerName(channel);
        long nowNanos = services.clock().nanoTime();
        if (header.length() == 0) {
            services.closes().probed(who, channel.remoteAddress(), nowNanos);
        } else {
            services.counters().increment(Counter.PROXY_REFUSED);
            String text = header.length() + " bytes of a PROXY header";
            services.closes().closed(who, CloseReason.TRUNCATED_FRAME, text, nowNanos);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof IOException) {
            ctx.close();
        } else if (cause != SocketReads.Refused.INSTANCE) {
            failed(cause);
        }
    }
}
