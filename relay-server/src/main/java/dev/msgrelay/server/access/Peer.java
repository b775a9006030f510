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
import javax.security.auth.x500.X500Principal;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;

/**
 * A peer as the layers below report it, before it has sent anything. A connection takes nothing else from them.
 *
 * @param address the peer's address; null: the peer of a Unix socket
 * @param uid of the process at the other end of a Unix socket; {@link #UNKNOWN}: the system does not tell
 * @param user user of the same process; null: the system does not tell
 * @param certificate subject of the certificate that the TLS layer has verified; null: none
 */
public record Peer(InetAddress address, int uid, UserPrincipal user, X500Principal certificate) {
    /** The value of {@code uid} where the system does not tell the user. */
    public static final int UNKNOWN = -1;

    /** The subject of the client's certificate; the TLS layer sets it before the connection is active. */
    public static final AttributeKey<X500Principal> CERTIFICATE = AttributeKey.valueOf(Peer.class, "certificate");

    private static final int MOST_CHARS = 200;

    public static Peer of(Channel channel) {
        X500Principal subject =
                channel.hasAttr(CERTIFICATE) ? channel.attr(CERTIFICATE).get() : null;
        if (channel.remoteAddress() instanceof InetSocketAddress inet) {
            return new Peer(inet.getAddress(), UNKNOWN, null, subject);
        }
        if (channel instanceof SocketChannel) {
            // A TCP channel that is closed already: an address from nowhere, since null would mean a Unix socket.
            return new Peer(new InetSocketAddress(0).getAddress(), UNKNOWN, null, subject);
        }
        int uid = UNKNOWN;
        UserPrincipal user = null;
        try {
            if (channel instanceof EpollDomainSocketChannel epoll) {
                uid = epoll.peerCredentials().uid();
            } else if (channel instanceof NioDomainSocketChannel nio) {
                UnixDomainPrincipal both =
                        nio.config().getOption(NioChannelOption.of(ExtendedSocketOptions.SO_PEERCRED));
                user = both == null ? null : both.user();
            }
        } catch (IOException | ChannelException | UnsupportedOperationException e) {
            // The peer is gone, or the system does not tell its user: then no user proves an identity.
        }
        return new Peer(null, uid, user, subject);
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
