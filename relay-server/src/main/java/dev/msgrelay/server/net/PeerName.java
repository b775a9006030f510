package dev.msgrelay.server.net;

import io.netty.channel.Channel;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** The name of a peer, for people: {@code 127.0.0.1:40123}, or the Unix socket that it came in by. */
public final class PeerName {
    private PeerName() {}

    public static String of(Channel channel) {
        SocketAddress remote = channel.remoteAddress();
        if (remote instanceof InetSocketAddress inet) {
            return NetUtil.toSocketAddressString(inet);
        }
        SocketAddress local = channel.localAddress();
        return "unix:" + (local == null ? "?" : local) + "#" + channel.id().asShortText();
    }
}
