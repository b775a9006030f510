package dev.msgrelay.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.msgrelay.protocol.AckFrame;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.GoAwayFrame;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.SequenceFrame;
import dev.msgrelay.protocol.SubscribedFrame;
import dev.msgrelay.protocol.WelcomeFrame;
import java.nio.ByteBuffer;

/** Frames as a relay sends them. */
public final class Frames {
    public static final long EPOCH = 0x1122334455667788L;

    /** As long as a test lasts. */
    public static final int LONG_IDLE = 60_000;

    private Frames() {}

    /** To a subscriber. */
    public static ByteBuffer welcome(long next) {
        return welcome(EPOCH, 0, next, 0, LONG_IDLE);
    }

    /** To a subscriber that named another epoch. */
    public static ByteBuffer welcomeOfOtherEpoch(long epoch, long next) {
        return welcome(epoch, WelcomeFrame.EPOCH_CHANGED, next, 0, LONG_IDLE);
    }

    /** To a publisher. */
    public static ByteBuffer welcomePublisher(long accepted) {
        return welcome(EPOCH, 0, 1, accepted, LONG_IDLE);
    }

    public static ByteBuffer welcome(long epoch, int flags, long next, long accepted, int idleMillis) {
        return welcome(epoch, flags, Features.ACKS | Features.SEQUENCES, next, accepted, idleMillis, 0);
    }

    /** Of a relay with a journal. */
    public static ByteBuffer welcomeWithLevels(long next, long accepted) {
        int features = Features.ACKS | Features.SEQUENCES | Features.LEVELS;
        return welcome(EPOCH, 0, features, next, accepted, LONG_IDLE, 0);
    }

    /** To a client that is behind the fork of its epoch. */
    public static ByteBuffer welcomeRolledBack(long epoch, long next, long fork) {
        int flags = WelcomeFrame.EPOCH_CHANGED | WelcomeFrame.ROLLED_BACK;
        return welcome(epoch, flags, Features.ACKS | Features.SEQUENCES, next, 0, LONG_IDLE, fork);
    }

    private static ByteBuffer welcome(
            long epoch, int flags, int features, long next, long accepted, int idleMillis, long fork) {
        return new WelcomeFrame(
                        1,
                        Policy.DISCONNECT,
                        flags,
                        features,
                        epoch,
                        next,
                        accepted,
                        1 << 20,
                        100,
                        idleMillis,
                        1024,
                        "double",
                        fork)
                .encode();
    }

    /** A WELCOME that grants no feature. */
    public static ByteBuffer bareWelcome(long next) {
        return new WelcomeFrame(1, Policy.DISCONNECT, 0, 0, EPOCH, next, 0, 1 << 20, 100, LONG_IDLE, 2, "", 0).encode();
    }

    public static ByteBuffer message(int type, String body) {
        return PlainServer.frame(type, body.getBytes(UTF_8));
    }

    public static ByteBuffer sequence(long next) {
        ByteBuffer frame = ByteBuffer.allocate(SequenceFrame.FRAME_LENGTH);
        SequenceFrame.put(frame, next);
        return frame.flip();
    }

    public static ByteBuffer gap(long from, long to, GapReason reason) {
        ByteBuffer frame = ByteBuffer.allocate(GapFrame.FRAME_LENGTH);
        GapFrame.put(frame, from, to, reason);
        return frame.flip();
    }

    public static ByteBuffer ping(long id, long next, long head) {
        ByteBuffer frame = ByteBuffer.allocate(PingFrame.FRAME_LENGTH);
        PingFrame.put(frame, id, next, head);
        return frame.flip();
    }

    public static ByteBuffer ack(long number, long sequence) {
        ByteBuffer frame = ByteBuffer.allocate(AckFrame.FRAME_LENGTH);
        AckFrame.put(frame, number, sequence);
        return frame.flip();
    }

    /** With LEVELS. */
    public static ByteBuffer ack(long number, long sequence, long written, long forced) {
        ByteBuffer frame = ByteBuffer.allocate(AckFrame.LEVELS_FRAME_LENGTH);
        AckFrame.put(frame, number, sequence, written, forced);
        return frame.flip();
    }

    public static ByteBuffer subscribed(int request, long sequence) {
        return new SubscribedFrame(request, sequence).encode();
    }

    public static ByteBuffer goAway() {
        return new GoAwayFrame(CloseReason.SHUTDOWN, 1000, "maintenance").encode();
    }

    public static ByteBuffer joined(ByteBuffer... frames) {
        int length = 0;
        for (ByteBuffer frame : frames) {
            length += frame.remaining();
        }
        ByteBuffer all = ByteBuffer.allocate(length);
        for (ByteBuffer frame : frames) {
            all.put(frame.duplicate());
        }
        return all.flip();
    }
}
