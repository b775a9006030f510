package dev.msgrelay.cluster;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.ProducerId;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A batch of entries that a node offers to the cluster's log. Each entry has a number. Fields are little-endian, frames
 * are as on the wire. The position tells how much of the stream the node has; a batch without entries only tells that.
 *
 * <pre>
 *   batch                                  entry, aligned to 8 bytes
 *    0  version         int32               0  length, all of it     int32
 *    4  node            int32               4  kind                  int32
 *    8  cluster         int64               8  number of the entry   int64
 *   16  life            int64              16  messages              int32
 *   24  epoch proposed  int64              20  bytes of frames       int32
 *   32  position        int64              24  first number          int64
 *   40  longest body    int32              32  producer              2 * int64
 *   44  1: lives        int32              48  bytes of name, owner  2 * int16
 *   48  entries                            52  0                     int32
 *                                          56  name, owner, frames
 * </pre>
 *
 * A batch with 1 at "lives" may begin another life of the stream, see {@link ClusterState}. A batch with 0 is of an
 * earlier version, in which a stream had only one epoch.
 *
 * <p>An object is a flyweight over one entry, for one thread.
 */
final class Batch {
    /** Version of this layout and of the decisions by it. All nodes of a cluster must have the same. */
    static final int VERSION = 3;

    static final int HEADER_LENGTH = 48;
    static final int NODE_OFFSET = 4;
    static final int CLUSTER_OFFSET = 8;
    static final int LIFE_OFFSET = 16;
    static final int EPOCH_OFFSET = 24;
    static final int POSITION_OFFSET = 32;
    static final int BODY_OFFSET = 40;
    static final int LIVES_OFFSET = 44;

    static final int ENTRY_HEADER_LENGTH = 56;
    private static final int KIND_OFFSET = 4;
    private static final int NUMBER_OFFSET = 8;
    private static final int MESSAGES_OFFSET = 16;
    private static final int FRAMES_OFFSET = 20;
    private static final int FIRST_OFFSET = 24;
    private static final int HIGH_OFFSET = 32;
    private static final int LOW_OFFSET = 40;
    private static final int NAME_OFFSET = 48;
    private static final int OWNER_OFFSET = 50;

    /** Most bytes of a name, and of an identity. */
    static final int MOST_TEXT = 255;

    /** Most bytes of an entry without its frames. */
    static final int MOST_BESIDE = ENTRY_HEADER_LENGTH + 2 * MOST_TEXT + BitUtil.SIZE_OF_LONG;

    /** Kind of an entry. The ordinals are in logs on disks, so the order must not change. */
    enum Kind {
        /** The unused end of a ring's memory; never in a batch. */
        PADDING,
        /** Messages; those of a named publisher have numbers. */
        RUN,
        /** A connection wants a name. */
        CLAIM,
        /** The connection with a name has ended. */
        LEAVE;

        private static final Kind[] ALL = values();
    }

    private final DirectBuffer buffer = new UnsafeBuffer(0, 0);

    static void putHeader(MutableDirectBuffer to, int node, long cluster, long life, long epoch, int maxBody) {
        to.putInt(0, VERSION);
        to.putInt(NODE_OFFSET, node);
        to.putLong(CLUSTER_OFFSET, cluster);
        to.putLong(LIFE_OFFSET, life);
        to.putLong(EPOCH_OFFSET, epoch);
        to.putLong(POSITION_OFFSET, 0);
        to.putInt(BODY_OFFSET, maxBody);
        to.putInt(LIVES_OFFSET, 1);
    }

    /** Bytes of an entry with so many bytes of name, owner and frames. */
    static int length(int name, int owner, int frames) {
        return BitUtil.align(ENTRY_HEADER_LENGTH + name + owner + frames, BitUtil.SIZE_OF_LONG);
    }

    /** Writes an entry without its frames, and returns the position for these. */
    static int put(
            MutableDirectBuffer to,
            int at,
            Kind kind,
            long number,
            int messages,
            int frames,
            long first,
            ProducerId producer,
            byte[] name,
            byte[] owner) {
        to.putInt(at, length(name.length, owner.length, frames));
        to.putInt(at + KIND_OFFSET, kind.ordinal());
        to.putLong(at + NUMBER_OFFSET, number);
        to.putInt(at + MESSAGES_OFFSET, messages);
        to.putInt(at + FRAMES_OFFSET, frames);
        to.putLong(at + FIRST_OFFSET, first);
        to.putLong(at + HIGH_OFFSET, producer.high());
        to.putLong(at + LOW_OFFSET, producer.low());
        to.putShort(at + NAME_OFFSET, (short) name.length);
        to.putShort(at + OWNER_OFFSET, (short) owner.length);
        to.putInt(at + OWNER_OFFSET + Short.BYTES, 0);
        to.putBytes(at + ENTRY_HEADER_LENGTH, name);
        to.putBytes(at + ENTRY_HEADER_LENGTH + name.length, owner);
        return at + ENTRY_HEADER_LENGTH + name.length + owner.length;
    }

    static int lengthAt(DirectBuffer from, int at) {
        return from.getInt(at);
    }

    static Kind kindAt(DirectBuffer from, int at) {
        return Kind.ALL[from.getInt(at + KIND_OFFSET)];
    }

    /**
     * Whether the bytes at a position are an entry as {@link #put} writes it, with as many whole frames of messages as
     * it says. All nodes have to come to the same result, and the core of each accepts the frames without a check.
     *
     * @param most bytes until the end of the batch
     * @param maxBody longest body of a message in the cluster
     */
    static boolean isSound(DirectBuffer from, int at, int most, int maxBody) {
        if (most < ENTRY_HEADER_LENGTH) {
            return false;
        }
        int length = lengthAt(from, at);
        int kind = from.getInt(at + KIND_OFFSET);
        int name = from.getShort(at + NAME_OFFSET);
        int owner = from.getShort(at + OWNER_OFFSET);
        int frames = from.getInt(at + FRAMES_OFFSET);
        int messages = from.getInt(at + MESSAGES_OFFSET);
        if (length > most
                || Math.min(Math.min(name, owner), frames) < 0
                || Math.max(name, owner) > MOST_TEXT
                || frames > most
                || length != length(name, owner, frames)) {
            return false;
        }
        if (kind == Kind.RUN.ordinal()) {
            long first = from.getLong(at + FIRST_OFFSET);
            int framesAt = at + ENTRY_HEADER_LENGTH + name + owner;
            return first >= 0
                    && first <= Long.MAX_VALUE - messages
                    && messages > 0
                    && messages == frames(from, framesAt, framesAt + frames, maxBody);
        }
        return (kind == Kind.CLAIM.ordinal() || kind == Kind.LEAVE.ordinal()) && name > 0 && frames == 0;
    }

    /** Number of messages' frames from start to end; -1: there are other bytes. */
    private static int frames(DirectBuffer from, int start, int end, int maxBody) {
        int count = 0;
        for (int at = start; at < end; count++) {
            if (end - at < FrameLayout.HEADER_LENGTH) {
                return -1;
            }
            int type = from.getInt(at + FrameLayout.TYPE_OFFSET, ByteOrder.BIG_ENDIAN);
            int body = from.getInt(at + FrameLayout.LENGTH_OFFSET, ByteOrder.BIG_ENDIAN);
            if (ControlFrames.isControl(type)
                    // A negative length is a large unsigned one.
                    || Integer.compareUnsigned(body, maxBody) > 0
                    || body > end - at - FrameLayout.HEADER_LENGTH) {
                return -1;
            }
            at += FrameLayout.frameLength(body);
        }
        return count;
    }

    Batch wrap(DirectBuffer from, int at) {
        buffer.wrap(from, at, lengthAt(from, at));
        return this;
    }

    Kind kind() {
        return kindAt(buffer, 0);
    }

    /** Number of the entry in its node's life, from 1. */
    long number() {
        return buffer.getLong(NUMBER_OFFSET);
    }

    int messages() {
        return buffer.getInt(MESSAGES_OFFSET);
    }

    int frameBytes() {
        return buffer.getInt(FRAMES_OFFSET);
    }

    /** Number of the first message, as its publisher counts. */
    long first() {
        return buffer.getLong(FIRST_OFFSET);
    }

    ProducerId producer() {
        return new ProducerId(buffer.getLong(HIGH_OFFSET), buffer.getLong(LOW_OFFSET));
    }

    private int nameBytes() {
        return buffer.getShort(NAME_OFFSET);
    }

    private int ownerBytes() {
        return buffer.getShort(OWNER_OFFSET);
    }

    /** Name of the publisher; empty: it has none, and its messages have no numbers. */
    String name() {
        return utf8(ENTRY_HEADER_LENGTH, nameBytes());
    }

    /** Identity of the connection; empty: the relay has no access policy. */
    String owner() {
        return utf8(ENTRY_HEADER_LENGTH + nameBytes(), ownerBytes());
    }

    boolean hasName() {
        return nameBytes() > 0;
    }

    private String utf8(int at, int length) {
        byte[] bytes = new byte[length];
        buffer.getBytes(at, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Position of the frames in {@link #bytes}. */
    int framesAt() {
        return ENTRY_HEADER_LENGTH + nameBytes() + ownerBytes();
    }

    DirectBuffer bytes() {
        return buffer;
    }
}
