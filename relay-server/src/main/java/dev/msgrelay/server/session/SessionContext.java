package dev.msgrelay.server.session;

import dev.msgrelay.server.config.ClientConfig;
import dev.msgrelay.server.log.PacketLog;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/**
 * What all sessions of a relay share.
 *
 * @param log the stream
 * @param epoch tells this relay's stream from that of another start; never 0
 * @param logBytes how much of it is kept
 * @param gate holds publishers back
 * @param stallNanos how long a subscriber may hold publishers back without any progress
 * @param clients what clients may ask for
 * @param maxBody longest body of a message in bytes
 * @param connections who is connected, and what is counted of them
 */
public record SessionContext(
        PacketLog log,
        long epoch,
        long logBytes,
        BackpressureGate gate,
        long stallNanos,
        ClientConfig clients,
        int maxBody,
        Connections connections) {

    /** A peer, for people: {@code 127.0.0.1:40123}, or the Unix socket it came in by. */
    static String peerName(Channel channel) {
        SocketAddress remote = channel.remoteAddress();
        if (remote instanceof InetSocketAddress inet) {
            return inet.getHostString() + ":" + inet.getPort();
        }
        SocketAddress local = channel.localAddress();
        return "unix:" + (local == null ? "?" : local) + "#" + channel.id().asShortText();
    }
}
