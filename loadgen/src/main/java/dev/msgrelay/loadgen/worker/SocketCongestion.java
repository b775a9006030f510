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
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The TCP congestion control of a channel of java.nio, which has no option for it: Netty's native library sets it on the
 * channel's descriptor, and a class of the JDK that workers export to themselves by {@link #JVM_OPTION} tells that.
 *
 * <p>Netty's own sockets would bring its loop between a worker's blocking writes and the socket, and so other figures. A
 * namespace whose default is cubic needs rights that many users of loadgen do not have.
 */
public final class SocketCongestion {
    /** The option of a JVM whose sockets choose. */
    public static final String JVM_OPTION = "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED";

    /** Linux's IPPROTO_TCP. */
    private static final int LEVEL = 6;
    /** Linux's TCP_CONGESTION. */
    private static final int OPTION = 13;
    /** Linux's TCP_CA_NAME_MAX, with the closing zero. */
    private static final int NAME_BYTES = 16;

    private SocketCongestion() {}

    /**
     * Sets the congestion control of a connected channel whose peer is on this host; a Unix socket and a peer elsewhere
     * are left alone.
     *
     * @param name name of the kernel's, or {@link CongestionControl#SYSTEM}
     * @return what the channel has then, as read from it; with the reason where the name could not be set
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
            return new Congestion(Congestion.of(read(socket)).names(), fault);
        } catch (ReflectiveOperationException e) {
            return Congestion.ofSystem(chosen ? "this JVM lacks " + JVM_OPTION : null);
        }
    }

    /** The congestion control of a connection of relay-client. */
    static Congestion ofLibrary(Endpoint relay) {
        return relay.isUnix() ? Congestion.NONE : Congestion.ofSystem("relay-client cannot choose");
    }

    private static int descriptor(SocketChannel channel) throws ReflectiveOperationException {
        return (int) Class.forName("sun.nio.ch.SelChImpl").getMethod("getFDVal").invoke(channel);
    }

    /** Sets the name; returns the fault of a kernel that does not take it, else null. */
    private static String set(Socket socket, String name) {
        try {
            socket.setRawOpt(
                    LEVEL,
                    OPTION,
                    ByteBuffer.wrap(Arrays.copyOf(name.getBytes(StandardCharsets.US_ASCII), NAME_BYTES)));
            return null;
        } catch (IOException | ChannelException e) {
            return name + " is not given: " + e.getMessage();
        }
    }

    private static String read(Socket socket) throws IOException {
        byte[] name = new byte[NAME_BYTES];
        socket.getRawOpt(LEVEL, OPTION, ByteBuffer.wrap(name));
        return new String(name, StandardCharsets.US_ASCII).split("\0", 2)[0];
    }
}
