package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.plan.Congestion;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.net.CongestionControl;
import dev.msgrelay.server.net.Transport;
import io.netty.channel.ChannelException;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.NetworkChannel;
import java.nio.channels.SocketChannel;

/**
 * Sets and reads the TCP congestion control of a channel of java.nio, which has no option for it. Netty's native
 * library sets it through the channel's file descriptor. An internal class of the JDK returns that descriptor; workers
 * get access to it through {@link #JVM_OPTION}.
 *
 * <p>There are two other ways, neither of which is used. Netty's own sockets would add its event loop to each blocking
 * write, and so change the figures. A network namespace with another default needs rights that many users do not have.
 */
public final class SocketCongestion {
    /** The JVM option that gives access to file descriptors of channels. */
    public static final String JVM_OPTION = "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED";

    /** IPPROTO_TCP of Linux. */
    private static final int LEVEL = 6;
    /** TCP_CONGESTION of Linux. */
    private static final int OPTION = 13;

    private SocketCongestion() {}

    /**
     * Sets the congestion control of a listener, whose connections inherit it, or of a channel that is not connected
     * yet. Once connected, a channel that began with bbr stays paced, whatever is set later. Faults are ignored here;
     * {@link #choose} returns them.
     *
     * @param name as in {@link #choose}
     */
    static void prepare(NetworkChannel channel, String name) {
        if (name.equals(CongestionControl.SYSTEM) || Transport.AUTO.resolve() != Transport.EPOLL) {
            return;
        }
        try {
            set(new Socket(descriptor(channel)), name);
        } catch (ReflectiveOperationException e) {
            // A later call of choose reports this fault.
        }
    }

    /**
     * Sets the congestion control of a connected channel, if its peer is on this host. A Unix socket, or a connection
     * to another host, stays as it is.
     *
     * @param name one of the kernel's names, {@link CongestionControl#SYSTEM}, or {@link CongestionControl#AUTO} if
     *     neither cubic nor reno is available
     * @return the congestion control of the channel afterwards, with the reason if the name could not be set
     */
    public static Congestion choose(SocketChannel channel, String name) throws IOException {
        if (!(channel.getLocalAddress() instanceof InetSocketAddress own)) {
            return Congestion.NONE;
        }
        boolean chosen = !name.equals(CongestionControl.SYSTEM)
                && CongestionControl.isOnThisHost((InetSocketAddress) channel.getRemoteAddress(), own);
        if (Transport.AUTO.resolve() != Transport.EPOLL) {
            return Congestion.ofSystem(chosen ? Transport.AUTO.text() : null);
        }
        try {
            Socket socket = new Socket(descriptor(channel));
            String fault = chosen ? set(socket, name) : null;
            if (!chosen && read(socket).equals(name)) {
                // The channel inherited the listener's choice, which is only for peers on this host.
                set(socket, usual());
            }
            return new Congestion(Congestion.of(read(socket)).names(), fault);
        } catch (ReflectiveOperationException e) {
            return Congestion.ofSystem(chosen ? "this JVM lacks " + JVM_OPTION : null);
        } catch (IOException | ChannelException e) {
            return Congestion.ofSystem(chosen ? "not supported here: " + e.getMessage() : null);
        }
    }

    /** Returns the congestion control of a connection of relay-client. */
    static Congestion ofLibrary(Endpoint relay) {
        return relay.isUnix() ? Congestion.NONE : Congestion.ofSystem("relay-client cannot choose");
    }

    private static String usual() throws IOException, ReflectiveOperationException {
        try (SocketChannel fresh = SocketChannel.open()) {
            return read(new Socket(descriptor(fresh)));
        }
    }

    private static int descriptor(NetworkChannel channel) throws ReflectiveOperationException {
        return (int) Class.forName("sun.nio.ch.SelChImpl").getMethod("getFDVal").invoke(channel);
    }

    /** Sets the name; returns an error text, or null. */
    private static String set(Socket socket, String name) {
        if (name.equals(CongestionControl.AUTO)) {
            return "neither cubic nor reno is given";
        }
        try {
            socket.setRawOpt(LEVEL, OPTION, CongestionControl.padded(name));
            return null;
        } catch (IOException | ChannelException e) {
            return name + " is not given: " + e.getMessage();
        }
    }

    private static String read(Socket socket) throws IOException {
        ByteBuffer name = CongestionControl.padded("");
        socket.getRawOpt(LEVEL, OPTION, name);
        return CongestionControl.unpadded(name.rewind());
    }
}
