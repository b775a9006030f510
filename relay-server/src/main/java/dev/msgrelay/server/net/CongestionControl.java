package dev.msgrelay.server.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.RawUnixChannelOption;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The congestion control of accepted TCP connections: a name of the kernel's, such as cubic, or {@link #SYSTEM}. Only
 * the sending side's choice counts, so for a publisher's messages that of the publisher's machine.
 *
 * @param local the choice for peers on this host; may also be {@link #AUTO}
 * @param links the choice for peers elsewhere. A container of this host with an address of its own counts as elsewhere
 */
public record CongestionControl(String local, String links) {
    /** The first of cubic and reno that the kernel has. (bbr paces, which halves the speed if there is no queue.) */
    public static final String AUTO = "auto";
    /** The system's default. */
    public static final String SYSTEM = "system";

    /** The file in which Linux lists the names that any process may use; for {@link #resolve}. */
    public static final String ALLOWED = "proc/sys/net/ipv4/tcp_allowed_congestion_control";

    private static final List<String> WITHOUT_PACING = List.of("cubic", "reno");
    /** Linux's TCP_CA_NAME_MAX, with the closing zero. */
    private static final int NAME_BYTES = 16;
    /** Linux's IPPROTO_TCP and TCP_CONGESTION. */
    static final RawUnixChannelOption OPTION = new RawUnixChannelOption("TCP_CONGESTION", 6, 13, NAME_BYTES);

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
        String here = local.equals(AUTO)
                ? WITHOUT_PACING.stream().filter(given).findFirst().orElse(SYSTEM)
                : local;
        CongestionControl resolved = new CongestionControl(here, links);
        resolved.checkGiven("local congestion", here, given, otherwise);
        resolved.checkGiven("congestion", links, given, otherwise);
        return resolved;
    }

    private void checkGiven(String what, String name, Predicate<String> given, String otherwise) {
        if (!name.equals(SYSTEM) && !given.test(name)) {
            throw new IllegalArgumentException(what + " '" + name + "' is " + otherwise);
        }
    }

    /** Whether a new socket accepts the name. (The system's list lacks modules that root may still load.) */
    static boolean isGiven(String name) {
        EpollSocketChannel socket = new EpollSocketChannel();
        try {
            socket.config().setOption(OPTION, padded(name));
            return true;
        } catch (ChannelException e) {
            return false;
        } finally {
            socket.unsafe().closeForcibly();
        }
    }

    /** Sets the option of an accepted connection. Called only if resolved. Unix sockets have no such option. */
    void setOn(Channel accepted) {
        if (accepted instanceof EpollSocketChannel socket) {
            String name = isOnThisHost(socket.remoteAddress(), socket.localAddress()) ? local : links;
            if (!name.equals(SYSTEM)) {
                set(socket, name);
            }
        }
    }

    private static void set(EpollSocketChannel socket, String name) {
        try {
            socket.config().setOption(OPTION, padded(name));
        } catch (ChannelException e) {
            // The name was forbidden after the relay's start. The connection works with the system's default.
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

    private static ByteBuffer padded(String name) {
        return ByteBuffer.wrap(Arrays.copyOf(name.getBytes(StandardCharsets.US_ASCII), NAME_BYTES));
    }
}
