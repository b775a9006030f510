package dev.msgrelay.protocol;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** All control frames by their types: what a body says, as a value that can be compared, and the frame of a value. */
final class Codecs {
    record Ping(long id, long next, long head) {}

    record Pong(long id) {}

    record Sequence(long next) {}

    record Gap(long from, long to, int reason) {}

    /** @param levels whether the fields of LEVELS are there; absent ones are 0 */
    record Ack(long number, long sequence, boolean levels, long written, long forced) {}

    record RetryAfter(int millis) {}

    record Error(int code, String text) {}

    private Codecs() {}

    static Object decode(int type, ByteBuffer body) throws FrameException {
        switch (type) {
            case ControlFrames.HELLO:
                return HelloFrame.decode(body);
            case ControlFrames.WELCOME:
                return WelcomeFrame.decode(body);
            case ControlFrames.SUBSCRIBE:
                return SubscribeFrame.decode(body);
            case ControlFrames.SUBSCRIBED:
                return SubscribedFrame.decode(body);
            case ControlFrames.GOAWAY:
                return GoAwayFrame.decode(body);
            case ControlFrames.PING:
                PingFrame.check(body);
                return new Ping(PingFrame.id(body), PingFrame.next(body), PingFrame.head(body));
            case ControlFrames.PONG:
                PongFrame.check(body);
                return new Pong(PongFrame.id(body));
            case ControlFrames.SEQUENCE:
                SequenceFrame.check(body);
                return new Sequence(SequenceFrame.next(body));
            case ControlFrames.GAP:
                GapFrame.check(body);
                return new Gap(GapFrame.from(body), GapFrame.to(body), GapFrame.reason(body));
            case ControlFrames.ACK:
                AckFrame.check(body);
                return new Ack(
                        AckFrame.number(body),
                        AckFrame.sequence(body),
                        body.remaining() > AckFrame.MIN_LENGTH,
                        AckFrame.number(body, Level.WRITTEN),
                        AckFrame.number(body, Level.FORCED));
            case ControlFrames.RETRY_AFTER:
                RetryAfterFrame.check(body);
                return new RetryAfter(RetryAfterFrame.millis(body));
            case ControlFrames.ERROR:
                ErrorFrame.check(body);
                return new Error(ErrorFrame.code(body), ErrorFrame.text(body));
            default:
                throw new AssertionError("no codec for " + ControlFrames.name(type));
        }
    }

    /** The whole frame, or null where the value holds a code that the encoder has no name for. */
    static byte[] encode(Object value) {
        ByteBuffer frame = ByteBuffer.allocate(64);
        if (value instanceof HelloFrame hello) {
            frame = hello.encode();
        } else if (value instanceof WelcomeFrame welcome) {
            frame = welcome.encode();
        } else if (value instanceof SubscribeFrame subscribe) {
            frame = subscribe.encode();
        } else if (value instanceof SubscribedFrame subscribed) {
            frame = subscribed.encode();
        } else if (value instanceof GoAwayFrame goAway) {
            frame = goAway.encode();
        } else if (value instanceof Error error) {
            CloseReason reason = CloseReason.ofCode(error.code());
            if (reason == null) {
                return null;
            }
            frame = ErrorFrame.encode(reason, error.text());
        } else {
            if (value instanceof Gap gap && GapReason.ofCode(gap.reason()) == null) {
                return null;
            }
            put(value, frame);
            frame.flip();
        }
        return Arrays.copyOfRange(frame.array(), frame.position(), frame.limit());
    }

    /** Puts one of the frames that are sent often. */
    static void put(Object value, ByteBuffer target) {
        if (value instanceof Ping ping) {
            PingFrame.put(target, ping.id(), ping.next(), ping.head());
        } else if (value instanceof Pong pong) {
            PongFrame.put(target, pong.id());
        } else if (value instanceof Sequence sequence) {
            SequenceFrame.put(target, sequence.next());
        } else if (value instanceof Gap gap) {
            GapFrame.put(target, gap.from(), gap.to(), GapReason.ofCode(gap.reason()));
        } else if (value instanceof RetryAfter retryAfter) {
            RetryAfterFrame.put(target, retryAfter.millis());
        } else if (value instanceof Ack ack) {
            if (ack.levels()) {
                AckFrame.put(target, ack.number(), ack.sequence(), ack.written(), ack.forced());
            } else {
                AckFrame.put(target, ack.number(), ack.sequence());
            }
        } else {
            throw new AssertionError("no put for " + value);
        }
    }
}
