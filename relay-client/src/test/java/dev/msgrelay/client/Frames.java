package dev.msgrelay.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.msgrelay.protocol.FrameConsumer;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.FrameReader;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.testing.scripted.FrameText;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Locale;

/** Frames as a relay sends them, and the relay's end of a plain connection. */
public final class Frames {
    public static final long EPOCH = FrameText.EPOCH;

    /** As long as a test lasts. */
    public static final int LONG_IDLE = 60_000;

    private static final int EPOCH_CHANGED = WelcomeFrame.EPOCH_CHANGED;
    private static final int ROLLED_BACK = WelcomeFrame.EPOCH_CHANGED | WelcomeFrame.ROLLED_BACK;

    private Frames() {}

    /** To a subscriber. */
    public static ByteBuffer welcome(long next) {
        return frame("WELCOME next=%d", next);
    }

    /** To a subscriber that named another epoch. */
    public static ByteBuffer welcomeOfOtherEpoch(long epoch, long next) {
        return welcome(epoch, EPOCH_CHANGED, next, 0, LONG_IDLE);
    }

    /** To a publisher. */
    public static ByteBuffer welcomePublisher(long accepted) {
        return frame("WELCOME accepted=%d", accepted);
    }

    public static ByteBuffer welcome(long epoch, int flags, long next, long accepted, int idleMillis) {
        return frame(
                "WELCOME heartbeat=100 epoch=%d flags=%d next=%d accepted=%d idle=%d",
                epoch, flags, next, accepted, idleMillis);
    }

    /** Of a relay with a journal. */
    public static ByteBuffer welcomeWithLevels(long next, long accepted) {
        return frame("WELCOME features=35 next=%d accepted=%d", next, accepted);
    }

    /** To a client that is behind the fork of its epoch. */
    public static ByteBuffer welcomeRolledBack(long epoch, long next, long fork) {
        return frame("WELCOME epoch=%d flags=%d next=%d fork=%d", epoch, ROLLED_BACK, next, fork);
    }

    /** A WELCOME that grants no feature. */
    public static ByteBuffer bareWelcome(long next) {
        return frame("WELCOME features=0 server=\"\" most_ranges=2 next=%d", next);
    }

    public static ByteBuffer message(int type, String body) {
        return frame(type, body.getBytes(UTF_8));
    }

    public static ByteBuffer sequence(long next) {
        return frame("SEQUENCE next=%d", next);
    }

    public static ByteBuffer gap(long from, long to, GapReason reason) {
        return frame("GAP from=%d to=%d reason=%d", from, to, reason.code());
    }

    public static ByteBuffer ping(long id, long next, long head) {
        return frame("PING id=%d next=%d head=%d", id, next, head);
    }

    public static ByteBuffer ack(long number, long sequence) {
        return frame("ACK number=%d sequence=%d", number, sequence);
    }

    /** With LEVELS. */
    public static ByteBuffer ack(long number, long sequence, long written, long forced) {
        return frame("ACK number=%d sequence=%d written=%d forced=%d", number, sequence, written, forced);
    }

    public static ByteBuffer goAway() {
        return frame("GOAWAY text=maintenance");
    }

    private static ByteBuffer frame(String text, Object... values) {
        return FrameText.encode(String.format(Locale.ROOT, text, values));
    }

    public static ByteBuffer frame(int type, byte... body) {
        return ByteBuffer.allocate(FrameLayout.frameLength(body.length))
                .putInt(type)
                .putInt(body.length)
                .put(body)
                .flip();
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

    public static byte[] copy(ByteBuffer body) {
        byte[] copy = new byte[body.remaining()];
        body.duplicate().get(copy);
        return copy;
    }

    /** A relay on one of the two transports, by name, for parameterised tests. */
    static ScriptedRelay relay(String transport, Path directory) throws IOException {
        return transport.equals("unix") ? ScriptedRelay.unix(directory) : ScriptedRelay.tcp();
    }

    /** Hands every message of the connection over, until the peer ends it. */
    public static void readAll(SocketChannel channel, FrameConsumer consumer) throws IOException {
        FrameReader reader = new FrameReader();
        int n;
        do {
            n = reader.read(channel, consumer);
        } while (n >= 0);
    }

    /** As a relay does: reads all, and ends its side when the peer has. */
    public static void serve(SocketChannel channel, FrameConsumer consumer) throws IOException {
        try (channel) {
            readAll(channel, consumer);
        }
    }

    public static void write(SocketChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }
}
