package dev.msgrelay.server.session;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Protocol;
import dev.msgrelay.protocol.Role;
import java.nio.ByteBuffer;

/** What holds for the control frames of subscribers and publishers alike. */
final class ControlRules {
    private ControlRules() {}

    /**
     * Reads a HELLO.
     *
     * @param port the role of the clients that connect to this port
     * @throws FrameException it is malformed, or wants what there is not
     */
    static HelloFrame hello(ByteBuffer body, Role port) throws FrameException {
        if (HelloFrame.commonVersion(body) == 0) {
            throw new FrameException(
                    CloseReason.UNSUPPORTED,
                    "versions " + (body.getShort(body.position()) & 0xFFFF) + ".."
                            + (body.getShort(body.position() + Short.BYTES) & 0xFFFF) + " are not spoken here: "
                            + Protocol.VERSION + ".." + Protocol.VERSION + " are");
        }
        HelloFrame hello = HelloFrame.decode(body);
        if (hello.role() != port) {
            throw new FrameException(
                    CloseReason.WRONG_ROLE, "HELLO of a " + word(hello.role()) + " on the port of " + word(port) + "s");
        }
        int unknown = Features.notUnderstood(hello.features());
        if (unknown != 0) {
            throw new FrameException(
                    CloseReason.UNSUPPORTED,
                    String.format(
                            "features 0x%08X must be understood and are not: 0x%08X are", unknown, Features.KNOWN));
        }
        return hello;
    }

    /**
     * A control frame that is for nobody in particular: passed over where that is allowed.
     *
     * @throws FrameException only the relay may send it, or it must be understood
     */
    static void other(int type) throws FrameException {
        switch (type) {
            case ControlFrames.WELCOME,
                    ControlFrames.SEQUENCE,
                    ControlFrames.GAP,
                    ControlFrames.ACK,
                    ControlFrames.GOAWAY,
                    ControlFrames.SUBSCRIBED -> throw outOfOrder(type, "is for the relay to send");
            default -> {
                if (ControlFrames.mustUnderstand(type)) {
                    throw new FrameException(
                            CloseReason.UNSUPPORTED,
                            ControlFrames.name(type) + " must be understood and is not: "
                                    + ControlFrames.name(ControlFrames.HELLO) + " to "
                                    + ControlFrames.name(ControlFrames.SUBSCRIBED) + " are");
                }
            }
        }
    }

    /** A control frame at a time, or from a side, from which it may not come; {@code what} goes on with its name. */
    static FrameException outOfOrder(int type, String what) {
        return new FrameException(CloseReason.PROTOCOL_ORDER, ControlFrames.name(type) + " " + what);
    }

    private static String word(Role role) {
        return role == Role.PUBLISHER ? "publisher" : "subscriber";
    }
}
