package dev.msgrelay.server.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.RawUnixChannelOption;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The congestion control of accepted TCP connections: a name of the kernel's, such as cubic, or {@link #SYSTEM}. Only
 * the sender's choice counts, so the relay's choice has no effect on a publisher's messages.
 *
 * @param local the choice for peers on this host; may also be {@link #AUTO}
 * @param links the choice for peers elsewhere. A container of this host with an address of its own counts as elsewhere
 */
public record CongestionControl(String local, String links) {
    /** The first of cubic and reno that the kernel has. (Not bbr: without a queue, its pacing halves the speed.) */
    public static final String AUTO = "auto";
    /** The system's default. */
    public static final String SYSTEM = "system";

    /** The file in which Linux lists the names that any process may use; for {@link #resolve}. */
    public static final String ALLOWED = "proc/sys/net/ipv4/tcp_allowed_congestion_control";

    private static final List<String> WITHOUT_PACING = List.of("cubic", "reno");
    /** Linux's TCP_CA_NAME_MAX, including the closing zero. */
    private static final int NAME_BYTES = 16;
    /** Linux's IPPROTO_TCP and TCP_CONGESTION. */
    private static final RawUnixChannelOption OPTION = new RawUnixChannelOption("TCP_CONGESTION", 6, 13, NAME_BYTES);

    public CongestionControl {
        checked(local);
        checked(links);
    }

    /** Returns the name if it has a valid form; otherwise throws. */
    public static String checked(String name) {
        if (!name.matches("[A-Za-z0-9_-]{1," + (NAME_BYTES - 1) + "}")) {
            throw new IllegalArgumentException(
                    "congestion '" + name + "' is no name of 1 to " + (NAME_BYTES - 1) + " letters, digits, - and _");
        }
        return name;
    }

    /**
     * Replaces {@link #AUTO} by a name that this machine offers, and checks that the names can be used.
     *
     * @param transport resolved; NIO cannot set the option
     * @param allowed content of {@link #ALLOWED}, for the message of a refusal
     * @throws IllegalArgumentException a name is not available; the message lists those that are
     */
    public CongestionControl resolve(Transport transport, Optional<String> allowed) {
        if (transport == Transport.EPOLL) {
            return resolve(
                    CongestionControl::isGiven, "not given here; the system allows: " + allowed.orElse("unknown"));
        }
        return resolve(name -> false, "not to be had: transport " + transport.flag() + " cannot set it, epoll can");
    }

    CongestionControl resolve(Predicate<String> given, String otherwise) {
        checkGiven("congestion", links, given, otherwise);
        if (local.equals(AUTO)) {
            return new CongestionControl(firstGiven(given), links);
        }
        checkGiven("local congestion", local, given, otherwise);
        return this;
    }

    private static String firstGiven(Predicate<String> given) {
        for (String name : WITHOUT_PACING) {
            if (given.test(name)) {
                return name;
            }
        }
        return SYSTEM;
    }

    private static void checkGiven(String what, String name, Predicate<String> given, String otherwise) {
        if (!name.equals(SYSTEM) && !given.test(name)) {
            throw new IllegalArgumentException(what + " '" + name + "' is " + otherwise);
        }
    }

    /** Whether a new socket accepts the name. (The system's list lacks modules that root may still load.) */
    static boolean isGiven(String name) {
        return onNewSocket(socket -> set(socket, name));
    }

    /**
     * Sets the local choice on a listener, whose accepted connections inherit the choice. A choice after the accept
     * would be too late, because a connection that began with bbr stays paced. Called only if resolved.
     */
    public void setOnListener(ServerChannel listener) {
        if (listener instanceof EpollServerSocketChannel && !local.equals(SYSTEM)) {
            set(listener, local);
        }
    }

    /** Sets the option of an accepted connection. Called only if resolved. Unix sockets have no such option. */
    void setOn(Channel accepted) {
        if (!(accepted instanceof EpollSocketChannel socket)) {
            return;
        }
        String name = isOnThisHost(socket.remoteAddress(), socket.localAddress()) ? local : links;
        if (!name.equals(SYSTEM)) {
            set(socket, name);
        } else if (!local.equals(SYSTEM) && nameOf(socket).equals(local)) {
            // The connection has inherited the local choice. As its peer is elsewhere, it gets the system's default.
            set(socket, onNewSocket(CongestionControl::nameOf));
        }
    }

    /** Sets the option. Returns false if the kernel refuses the name, as when it was forbidden after the start. */
    private static boolean set(Channel channel, String name) {
        try {
            return channel.config().setOption(OPTION, padded(name));
        } catch (ChannelException e) {
            return false;
        }
    }

    static String nameOf(Channel channel) {
        ByteBuffer name = channel.config().getOption(OPTION);
        return unpadded(name);
    }

    private static <T> T onNewSocket(Function<Channel, T> use) {
        // A listener's class is loaded at each start, that of a connection only for the first client.
        EpollServerSocketChannel socket = new EpollServerSocketChannel();
        try {
            return use.apply(socket);
        } finally {
            socket.unsafe().closeForcibly();
        }
    }

    /**
     * Whether both ends are on one host.
     *
     * @param remote null: the peer is gone already
     */
    public static boolean isOnThisHost(InetSocketAddress remote, InetSocketAddress own) {
        return remote != null
                && (remote.getAddress().isLoopbackAddress()
                        || remote.getAddress().equals(own.getAddress()));
    }

    /** The name before the first zero. */
    public static String unpadded(ByteBuffer value) {
        return StandardCharsets.US_ASCII.decode(value).toString().split("\0", 2)[0];
    }

    /** The value of the socket option: the name, followed by zeros. */
    public static ByteBuffer padded(String name) {
        return ByteBuffer.wrap(Arrays.copyOf(name.getBytes(StandardCharsets.US_ASCII), NAME_BYTES));
    }
}
