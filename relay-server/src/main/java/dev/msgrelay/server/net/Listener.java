package dev.msgrelay.server.net;

import dev.msgrelay.server.figures.RepeatedWarning;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.ServerChannel;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Binds listening sockets. Each socket accepts on one event loop, and passes every connection to a {@link Placement}.
 *
 * <p>The relay listens on every address of a host name, because clients may use any of them. An address that is not
 * this machine's (the name stands for several machines, or the system has no IPv6) is left out and reported.
 */
public final class Listener {
    /** Sets a new connection up, and returns the loop to register it with. Called on the accepting loop's thread. */
    public interface Placement {
        EventLoop place(Channel accepted);
    }

    /** Listens on an address. Returns the bound address, with its port. */
    @FunctionalInterface
    public interface Binding {
        InetSocketAddress bind(InetSocketAddress address) throws IOException;
    }

    private static final int BACKLOG = 1024;
    private static final int BIND_SECONDS = 10;
    private static final long PAUSE_MILLIS = 200;

    /** The beginning of an epoll error message: system call and error number. The system's message follows. */
    private static final Pattern NATIVE_CALL = Pattern.compile("^\\w+\\(\\.\\.\\) failed with error\\(-?\\d+\\): ");

    /** All listeners share this one, because descriptors run out for the whole process. */
    private static final RepeatedWarning FAILURES = new RepeatedWarning(Duration.ofSeconds(1));

    private Listener() {}

    /** Binds and starts accepting. The message of a fault contains the address and the system's message. */
    public static void bind(ServerChannel channel, SocketAddress address, EventLoop loop, Placement placement)
            throws IOException {
        channel.config().setOption(ChannelOption.SO_BACKLOG, BACKLOG);
        if (address instanceof InetSocketAddress) {
            channel.config().setOption(ChannelOption.SO_REUSEADDR, true);
        }
        channel.pipeline().addLast(new Acceptor(placement));
        String what = address instanceof InetSocketAddress inet
                ? NetUtil.toSocketAddressString(inet.getHostString(), inet.getPort())
                : "unix:" + address;
        try {
            await(loop.register(channel), what);
            await(channel.bind(address), what);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    private static void await(ChannelFuture future, String what) throws IOException {
        if (!future.awaitUninterruptibly(BIND_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("cannot listen on " + what + ": no answer within " + BIND_SECONDS + " s");
        }
        if (!future.isSuccess()) {
            String why = String.valueOf(future.cause().getMessage());
            throw new IOException(
                    "cannot listen on " + what + ": " + NATIVE_CALL.matcher(why).replaceFirst(""), future.cause());
        }
    }

    /** The addresses of a host, each once, in the resolver's order. Throws if the host is unknown. */
    public static List<InetAddress> addresses(String host, int port) throws IOException {
        try {
            return Stream.of(InetAddress.getAllByName(host)).distinct().toList();
        } catch (UnknownHostException e) {
            throw new IOException("cannot listen on " + host + ":" + port + ": unknown host", e);
        }
    }

    /**
     * Listens on the same port of all addresses.
     *
     * @param port 0: a port that is free on the first address
     * @param leftOut gets a line for each address that is left out
     * @throws IOException an address of this machine cannot be listened on, or no address is this machine's
     */
    public static void bindAll(List<InetAddress> addresses, int port, Binding binding, Consumer<String> leftOut)
            throws IOException {
        List<String> bound = new ArrayList<>();
        List<String> others = new ArrayList<>();
        IOException last = null;
        int same = port;
        for (InetAddress address : addresses) {
            try {
                same = binding.bind(new InetSocketAddress(address, same)).getPort();
                bound.add(address.getHostAddress());
            } catch (IOException e) {
                if (isHere(address)) {
                    throw e;
                }
                others.add(address.getHostAddress());
                last = e;
            }
        }
        if (bound.isEmpty()) {
            throw last;
        }
        for (String other : others) {
            leftOut.accept("left out: " + other + " is no address of this machine; port " + same + " is listened on at "
                    + String.join(", ", bound));
        }
    }

    /** Whether the address is this machine's. If it is, a failed bind is due to the port. */
    private static boolean isHere(InetAddress address) {
        try (ServerSocket probe = new ServerSocket(0, 1, address)) {
            return probe.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    private static final class Acceptor extends ChannelInboundHandlerAdapter {
        private final Placement placement;

        Acceptor(Placement placement) {
            this.placement = placement;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            Channel accepted = (Channel) msg;
            try {
                placement.place(accepted).register(accepted);
            } catch (Throwable e) {
                accepted.unsafe().closeForcibly();
                FAILURES.warn(System.nanoTime(), "a connection could not be taken in: " + e);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            FAILURES.warn(
                    System.nanoTime(),
                    "connections cannot be accepted, and wait: " + cause.getMessage()
                            + "; if descriptors are short, raise the limit (ulimit -n)");
            // Without a pause the next connection in the system's queue would fail at once in the same way.
            ctx.channel().config().setAutoRead(false);
            ctx.channel()
                    .eventLoop()
                    .schedule(() -> ctx.channel().config().setAutoRead(true), PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        }
    }
}
