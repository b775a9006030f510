package dev.msgrelay.cluster;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.journal.format.EpochTable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.ControlledMessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/**
 * Records in a ring, by which the service's thread hands the cluster's decisions to the core.
 *
 * <pre>
 *   RUN       entry int64, number int64, sequence int64, frames
 *   CLAIMED   entry int64, accepted int64, sequence int64, code of the refusal int32, text
 *   TAKEN     name
 *   NEW_TERM  nothing
 *   LIFE      epoch int64, position int64, sequence int64, milliseconds since 1970 int64
 * </pre>
 *
 * The entry's number is 0 if the entry is another node's. The service claims room for a record, and each {@code put}
 * commits it. Getters read the record at a position, on the core's thread, in the handler of {@link #read}.
 */
final class OrderedRecords {
    static final int RUN = 1;
    static final int CLAIMED = 2;
    static final int TAKEN = 3;
    static final int NEW_TERM = 4;
    static final int LIFE = 5;

    static final int LIFE_LENGTH = 4 * Long.BYTES;

    private static final int NUMBER_OFFSET = 8;
    private static final int SEQUENCE_OFFSET = 16;
    private static final int FRAMES_OFFSET = 24;
    private static final int TIME_OFFSET = 24;
    private static final int CODE_OFFSET = 24;
    private static final int TEXT_OFFSET = 28;

    private final OneToOneRingBuffer ring;
    private final ByteBuffer bytes;

    /** @param capacity bytes; a power of two */
    OrderedRecords(int capacity) {
        ByteBuffer memory = ByteBuffer.allocateDirect(capacity + RingBufferDescriptor.TRAILER_LENGTH);
        this.bytes = memory.duplicate().order(ByteOrder.nativeOrder());
        this.ring = new OneToOneRingBuffer(new UnsafeBuffer(memory));
    }

    boolean isEmpty() {
        return ring.size() == 0;
    }

    static int runLength(int frameBytes) {
        return FRAMES_OFFSET + frameBytes;
    }

    static int claimedLength(byte[] text) {
        return TEXT_OFFSET + text.length;
    }

    /** Claims room for a record, and returns its position; negative: the ring is full. */
    int tryClaim(int kind, int length) {
        return ring.tryClaim(kind, length);
    }

    void putRun(int at, long entry, long number, long sequence, DirectBuffer frames, int offset, int length) {
        putNumbers(at, entry, number, sequence);
        ring.buffer().putBytes(at + FRAMES_OFFSET, frames, offset, length);
        ring.commit(at);
    }

    /** @param refusal null: the claim is granted */
    void putClaimed(int at, long entry, long accepted, long sequence, CloseReason refusal, byte[] text) {
        putNumbers(at, entry, accepted, sequence);
        ring.buffer().putInt(at + CODE_OFFSET, refusal == null ? 0 : refusal.code());
        ring.buffer().putBytes(at + TEXT_OFFSET, text);
        ring.commit(at);
    }

    void putTaken(int at, byte[] name) {
        ring.buffer().putBytes(at, name);
        ring.commit(at);
    }

    void putNewTerm(int at) {
        ring.commit(at);
    }

    void putLife(int at, EpochTable.Epoch life) {
        putNumbers(at, life.epoch(), life.position(), life.sequence());
        ring.buffer().putLong(at + TIME_OFFSET, life.timeMillis());
        ring.commit(at);
    }

    private void putNumbers(int at, long entry, long number, long sequence) {
        ring.buffer().putLong(at, entry);
        ring.buffer().putLong(at + NUMBER_OFFSET, number);
        ring.buffer().putLong(at + SEQUENCE_OFFSET, sequence);
    }

    /** Hands at most {@code most} records to the handler, until it stops. */
    void read(ControlledMessageHandler handler, int most) {
        ring.controlledRead(handler, most);
    }

    /** The ring's memory. */
    ByteBuffer bytes() {
        return bytes;
    }

    int framesAt(int at) {
        return at + FRAMES_OFFSET;
    }

    int frameBytes(int length) {
        return length - FRAMES_OFFSET;
    }

    long entry(int at) {
        return ring.buffer().getLong(at);
    }

    /** Number of a RUN's last message, or of the last message in the stream by a CLAIMED name. */
    long number(int at) {
        return ring.buffer().getLong(at + NUMBER_OFFSET);
    }

    long sequence(int at) {
        return ring.buffer().getLong(at + SEQUENCE_OFFSET);
    }

    /** The reason for which a claim is refused; null: it is granted. */
    CloseReason refusal(int at) {
        return CloseReason.ofCode(ring.buffer().getInt(at + CODE_OFFSET));
    }

    String refusalText(int at, int length) {
        return utf8(at + TEXT_OFFSET, length - TEXT_OFFSET);
    }

    EpochTable.Epoch life(int at) {
        return new EpochTable.Epoch(
                ring.buffer().getLong(at),
                ring.buffer().getLong(at + NUMBER_OFFSET),
                ring.buffer().getLong(at + SEQUENCE_OFFSET),
                ring.buffer().getLong(at + TIME_OFFSET));
    }

    String takenName(int at, int length) {
        return utf8(at, length);
    }

    private String utf8(int at, int length) {
        byte[] text = new byte[length];
        ring.buffer().getBytes(at, text);
        return new String(text, StandardCharsets.UTF_8);
    }
}
