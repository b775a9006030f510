package dev.msgrelay.server.access;

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
 * What the layers below say of a peer before it has said anything itself: this is all that a connection takes from them.
 *
 * @param address null: of a Unix socket
 * @param uid of the process at the other end of a Unix socket; {@link #UNKNOWN}: not told
 * @param user the same, where the system tells it so; otherwise null
 * @param certificate the subject of the certificate that the TLS layer has verified; null: none
 */
public record Peer(InetAddress address, int uid, UserPrincipal user, X500Principal certificate) {
    /** No user. */
    public static final int UNKNOWN = -1;

    /** Set by the TLS layer, before the connection is active, to the subject of the client's certificate. */
    public static final AttributeKey<X500Principal> CERTIFICATE = AttributeKey.valueOf(Peer.class, "certificate");

    /** Of an accepted channel. */
    public static Peer of(Channel channel) {
        X500Principal subject =
                channel.hasAttr(CERTIFICATE) ? channel.attr(CERTIFICATE).get() : null;
        if (channel.remoteAddress() instanceof InetSocketAddress inet) {
            return new Peer(inet.getAddress(), UNKNOWN, null, subject);
        }
        if (channel instanceof SocketChannel) {
            // TCP, and gone already: from nowhere, and not by a Unix socket.
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
            // It is gone, or the system does not tell: then it is nobody by its user.
            return new Peer(null, UNKNOWN, null, subject);
        }
        return new Peer(null, uid, user, subject);
    }
}
