package dev.msgrelay.server.access;

import dev.msgrelay.protocol.text.TextWidth;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.util.AttributeKey;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.attribute.UserPrincipal;
import java.util.Optional;
import javax.security.auth.x500.X500Principal;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;

/**
 * What a peer's socket and TLS reveal about the peer before its first frame.
 *
 * @param address the peer's address; empty at a Unix socket
 * @param uid user number of the peer's process at a Unix socket, if the transport is epoll
 * @param user user of the peer's process at a Unix socket, if the transport is the JDK's
 * @param certificate subject of the certificate that TLS has verified
 */
public record Peer(
        Optional<InetAddress> address,
        Optional<Integer> uid,
        Optional<UserPrincipal> user,
        Optional<X500Principal> certificate) {
    /** The channel's attribute for the subject of a client's certificate. TLS sets it before the channel is active. */
    public static final AttributeKey<X500Principal> CERTIFICATE = AttributeKey.valueOf(Peer.class, "certificate");

    /** The channel's attribute for the address of a proxy's client, as the PROXY protocol tells it. */
    public static final AttributeKey<InetSocketAddress> PROXIED = AttributeKey.valueOf(Peer.class, "proxied");

    private static final int MOST_CHARS = 200;

    /**
     * The address of a channel's client, which access rules, limits, logs and reports go by: behind a proxy the one
     * that its PROXY header has told, otherwise the socket's. Null for a closed channel that never told it.
     */
    public static SocketAddress address(Channel channel) {
        return channel.hasAttr(PROXIED) ? channel.attr(PROXIED).get() : channel.remoteAddress();
    }

    public static Peer of(Channel channel) {
        Optional<X500Principal> subject = channel.hasAttr(CERTIFICATE)
                ? Optional.ofNullable(channel.attr(CERTIFICATE).get())
                : Optional.empty();
        SocketAddress peer = address(channel);
        if (peer instanceof InetSocketAddress || channel instanceof SocketChannel) {
            // A closed TCP channel has no address. An empty address would mean a Unix socket, so 0.0.0.0 is used.
            InetSocketAddress from = peer instanceof InetSocketAddress inet ? inet : new InetSocketAddress(0);
            return new Peer(Optional.of(from.getAddress()), Optional.empty(), Optional.empty(), subject);
        }
        Optional<Integer> uid = Optional.empty();
        Optional<UserPrincipal> user = Optional.empty();
        try {
            if (channel instanceof EpollDomainSocketChannel epoll) {
                uid = Optional.of(epoll.peerCredentials().uid());
            } else if (channel instanceof NioDomainSocketChannel nio) {
                user = Optional.ofNullable(
                                nio.config().getOption(NioChannelOption.of(ExtendedSocketOptions.SO_PEERCRED)))
                        .map(UnixDomainPrincipal::user);
            }
        } catch (IOException | ChannelException | UnsupportedOperationException e) {
            // The peer has closed the socket, or the system does not know its user.
        }
        return new Peer(Optional.empty(), uid, user, subject);
    }

    /**
     * Makes a peer's text fit for a line of the log or a page: at most {@value #MOST_CHARS} characters, and no
     * character that controls a terminal.
     */
    public static String printable(String text) {
        String line = text.replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]", "?");
        return line.length() > MOST_CHARS ? TextWidth.firstChars(line, MOST_CHARS) + "..." : line;
    }
}
