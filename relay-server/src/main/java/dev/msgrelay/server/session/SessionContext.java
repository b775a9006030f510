package dev.msgrelay.server.session;

import dev.msgrelay.server.config.ClientConfig;
import dev.msgrelay.server.log.PacketLog;
import io.netty.channel.Channel;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/**
 * What all sessions of a relay share.
 *
 * @param log the stream
 * @param logBytes how much of it is kept
 * @param gate holds publishers back
 * @param stallNanos how long a subscriber may hold publishers back without any progress
 * @param identity what clients are told of the relay
 * @param clients what clients may ask for
 * @param connections who is connected, and what is counted of them
 */
public record SessionContext(
        PacketLog log,
        long logBytes,
        BackpressureGate gate,
        long stallNanos,
        RelayIdentity identity,
        ClientConfig clients,
        Connections connections) {
    long epoch() {
        return identity.epoch();
    }

    int maxBody() {
        return identity.maxBody();
    }

    String server() {
        return identity.server();
    }

    /** A peer, for people: {@code 127.0.0.1:40123}, or the Unix socket it came in by. */
    static String peerName(Channel channel) {
        SocketAddress remote = channel.remoteAddress();
        if (remote instanceof InetSocketAddress inet) {
            return NetUtil.toSocketAddressString(inet);
        }
        SocketAddress local = channel.localAddress();
        return "unix:" + (local == null ? "?" : local) + "#" + channel.id().asShortText();
    }
}
