package dev.msgrelay.server.session;

import dev.msgrelay.protocol.AckFrame;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.PongFrame;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.channel.VoidChannelPromise;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What a publisher that said HELLO is told. One write is in flight at most; what is due meanwhile gathers, the newest of
 * each kind only, so that a publisher that asks a lot and reads nothing costs no more than this. One piece of memory serves
 * all writes.
 *
 * <p>All but {@link #send} and {@link #sendLast} only say what is due. The channel is writable exactly while nothing is pending. Owned by its session's thread.
 */
final class PublisherReplies {
    /** The longest WELCOME, GOAWAY without much to say, ACK, PONG and PING together. */
    static final int BYTES = 1024;

    private final Channel channel;
    private final ByteBuf memory;
    private final ByteBuffer view;
    // A write that fails is no end: what the publisher has sent before it went is still to be read.
    private final ChannelPromise unasked;

    private ByteBuffer welcome;
    private boolean welcomed;
    private ByteBuffer goAway;
    private boolean ackDue;
    private long ackNumber;
    private long ackSequence;
    private boolean pongDue;
    private long pongId;
    private boolean pingDue;
    private long pingId;
    private long head;
    private boolean issuing;
    private boolean ended;

    PublisherReplies(Channel channel) {
        this.channel = channel;
        this.memory = channel.alloc().directBuffer(BYTES, BYTES);
        this.view = memory.nioBuffer(0, BYTES).order(ByteOrder.BIG_ENDIAN);
        this.unasked = new VoidChannelPromise(channel, false);
    }

    /** Goes before everything else. */
    void welcome(ByteBuffer frame) {
        welcome = frame;
    }

    /** Up to this number there is nothing to acknowledge. */
    void ackedUpTo(long number) {
        ackNumber = number;
    }

    /** The publisher's messages up to this number are in the stream. */
    void ack(long number, long sequence) {
        if (number > ackNumber) {
            ackDue = true;
            ackNumber = number;
            ackSequence = sequence;
        }
    }

    void pong(long id) {
        pongDue = true;
        pongId = id;
    }

    void ping(long id, long newestSequence) {
        pingDue = true;
        pingId = id;
        head = newestSequence;
    }

    void goAway(ByteBuffer frame) {
        goAway = frame;
    }

    /** Sends what is due unless a write is in flight. */
    void send() {
        // While a write is being issued the channel tells of its own changes: the loop looks itself.
        while (!issuing && !ended && due() && channel.isWritable()) {
            issuing = true;
            view.clear();
            putDue(view);
            memory.setIndex(0, view.position());
            channel.writeAndFlush(memory.retain(), unasked);
            issuing = false;
        }
    }

    /** No more is said here but what is due, which goes behind the write in flight: ERROR follows. */
    void sendLast() {
        if (!ended && due() && channel.isActive()) {
            ByteBuffer last = ByteBuffer.allocate(BYTES);
            putDue(last);
            channel.write(Unpooled.wrappedBuffer(last.flip()), unasked);
        }
        ended = true;
    }

    private boolean due() {
        return welcome != null || (welcomed && (ackDue || pongDue || pingDue || goAway != null));
    }

    private void putDue(ByteBuffer to) {
        if (welcome != null) {
            to.put(welcome);
            welcome = null;
            welcomed = true;
        }
        if (ackDue) {
            AckFrame.put(to, ackNumber, ackSequence);
            ackDue = false;
        }
        if (pongDue) {
            PongFrame.put(to, pongId);
            pongDue = false;
        }
        if (pingDue) {
            PingFrame.put(to, pingId, 0, head);
            pingDue = false;
        }
        if (goAway != null) {
            to.put(goAway);
            goAway = null;
        }
    }

    void release() {
        ended = true;
        memory.release();
    }
}
