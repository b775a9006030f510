package dev.msgrelay.server.session;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.Protocol;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.WelcomeFrame;
import java.nio.ByteBuffer;
import java.util.Locale;

/**
 * How a client that speaks is let in, for both roles: HELLO is read and checked, WELCOME is written. Whether it may do what it
 * asks for is the {@link dev.msgrelay.server.access.Standing}'s to say.
 */
public final class Handshake {
    private Handshake() {}

    /**
     * Reads a HELLO.
     *
     * @param port the role of the clients that connect to this port
     * @param otherPort a clause for people about the port of the other role; may be empty
     * @throws FrameException it is malformed, or wants what there is not
     */
    public static HelloFrame hello(ByteBuffer body, Role port, String otherPort) throws FrameException {
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
                    CloseReason.WRONG_ROLE,
                    "HELLO of a " + word(hello.role()) + " on the port of " + word(port) + "s" + otherPort);
        }
        int unknown = Features.notUnderstood(hello.features());
        if (unknown != 0) {
            throw new FrameException(
                    CloseReason.UNSUPPORTED,
                    String.format(
                            Locale.ROOT,
                            "features 0x%08X must be understood and are not: 0x%08X are",
                            unknown,
                            Features.KNOWN));
        }
        return hello;
    }

    /**
     * Returns the WELCOME.
     *
     * @param policy granted; {@link Policy#RELAY_DEFAULT} to a publisher
     * @param features granted
     * @param next to a subscriber the first sequence that follows, to a publisher the newest one plus 1
     * @param accepted to a publisher the number of the last message that was taken of its name; otherwise 0
     * @param fork from where on what HELLO speaks of is gone, {@link Durability#TODAY}: nothing is; {@link
     *     Durability#UNKNOWN}: its epoch is none of this stream's
     */
    static ByteBuffer welcome(
            RelayIdentity relay,
            HelloFrame said,
            Heartbeat heartbeat,
            Policy policy,
            int features,
            long next,
            long accepted,
            long fork) {
        boolean rolledBack = fork != Durability.TODAY && fork != Durability.UNKNOWN;
        int flags = fork == Durability.TODAY ? 0 : WelcomeFrame.EPOCH_CHANGED;
        return new WelcomeFrame(
                        Protocol.VERSION,
                        policy,
                        rolledBack ? flags | WelcomeFrame.ROLLED_BACK : flags,
                        said.features() & features,
                        relay.epoch(),
                        next,
                        accepted,
                        relay.maxBody(),
                        heartbeat.intervalMillis(),
                        heartbeat.idleMillis(),
                        TypeRanges.MAX_RANGES,
                        relay.server(),
                        rolledBack ? fork : 0)
                .encode();
    }

    /**
     * How far messages are to get, or must have got.
     *
     * @return null: LEVELS is not granted
     * @throws FrameException nothing gets so far any more
     */
    static Level level(Durability durability, HelloFrame said) throws FrameException {
        boolean kept = durability.written() != null;
        if (kept && durability.failed() && said.level() != Level.STREAM) {
            throw noMore(said.level());
        }
        return kept && said.wants(Features.LEVELS) && !durability.failed() ? said.level() : null;
    }

    /** The journal has failed. */
    static FrameException noMore(Level level) {
        return new FrameException(CloseReason.JOURNAL_FAILED, "nothing gets " + level.flag() + " any more");
    }

    /** Returns the place where the life of the stream that the client speaks of ended, see {@link Durability#forkOf}. */
    public static long forkOf(Durability durability, HelloFrame said) {
        return said.epoch() == 0 ? Durability.TODAY : durability.forkOf(said.epoch());
    }

    /**
     * A control frame that is for nobody in particular: passed over where that is allowed.
     *
     * @throws FrameException only the relay may send it, or it must be understood
     */
    public static void other(int type) throws FrameException {
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
    public static FrameException outOfOrder(int type, String what) {
        return new FrameException(CloseReason.PROTOCOL_ORDER, ControlFrames.name(type) + " " + what);
    }

    private static String word(Role role) {
        return role == Role.PUBLISHER ? "publisher" : "subscriber";
    }
}
