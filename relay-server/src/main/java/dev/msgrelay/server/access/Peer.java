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
import java.nio.file.attribute.UserPrincipal;
import java.util.Optional;
import javax.security.auth.x500.X500Principal;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;

/**
 * A peer as socket and TLS report it, before it has sent anything.
 *
 * @param address the peer's address; empty: the peer of a Unix socket
 * @param uid of the process at the other end of a Unix socket, if the system tells it
 * @param user user of the same process, if the system tells it
 * @param certificate subject of the certificate that the TLS layer has verified
 */
public record Peer(
        Optional<InetAddress> address,
        Optional<Integer> uid,
        Optional<UserPrincipal> user,
        Optional<X500Principal> certificate) {
    /** The subject of the client's certificate; the TLS layer sets it before the connection is active. */
    public static final AttributeKey<X500Principal> CERTIFICATE = AttributeKey.valueOf(Peer.class, "certificate");

    private static final int MOST_CHARS = 200;

    public static Peer of(Channel channel) {
        Optional<X500Principal> subject = channel.hasAttr(CERTIFICATE)
                ? Optional.ofNullable(channel.attr(CERTIFICATE).get())
                : Optional.empty();
        if (channel.remoteAddress() instanceof InetSocketAddress inet) {
            return ofNetwork(inet, subject);
        }
        if (channel instanceof SocketChannel) {
            // A TCP channel that is closed already: an address from nowhere, since none would mean a Unix socket.
            return ofNetwork(new InetSocketAddress(0), subject);
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
            // The peer is gone, or the system does not tell its user: then no user proves an identity.
        }
        return new Peer(Optional.empty(), uid, user, subject);
    }

    private static Peer ofNetwork(InetSocketAddress from, Optional<X500Principal> subject) {
        return new Peer(Optional.of(from.getAddress()), Optional.empty(), Optional.empty(), subject);
    }

    /**
     * Text from a peer, made fit for one line of a log or a page: cut to {@value #MOST_CHARS} characters, without
     * characters that control a terminal.
     */
    public static String printable(String text) {
        String line = text.replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]", "?");
        return line.length() > MOST_CHARS ? TextWidth.firstChars(line, MOST_CHARS) + "..." : line;
    }
}
