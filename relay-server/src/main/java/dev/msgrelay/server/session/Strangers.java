package dev.msgrelay.server.session;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.ops.Counter;
import dev.msgrelay.server.ops.Counters;

/** Names the end of a client that speaks another protocol, and so has the wrong port. */
public record Strangers(Counters counters, Ports ports, Role port) {
    private static final int HTTP_GET = 0x47455420;
    private static final int HTTP_POST = 0x504F5354;

    /** Counts a TLS client that has come to a port for plain ones. Returns why it ends. */
    public FrameException tls() {
        counters.increment(Counter.TLS_ON_PLAIN_PORT);
        return new FrameException(
                CloseReason.TLS_FAILED,
                "the client speaks TLS, and this port is for plain ones" + ports.hint(port, true));
    }

    /** The end of a client that speaks HTTP, by its first four bytes, big-endian; null: it does not. */
    public FrameException http(SessionState state, int firstBytes) {
        if (state != SessionState.CONNECTED || firstBytes != HTTP_GET && firstBytes != HTTP_POST) {
            return null;
        }
        return new FrameException(
                CloseReason.UNEXPECTED_INPUT,
                "an HTTP request on the port of " + (port == Role.PUBLISHER ? "publishers" : "subscribers")
                        + ": HTTP is for the port of --admin, 7402 by default");
    }
}
