package dev.msgrelay.server.stream;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.memory.Bytes;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Walks over received bytes, and holds the result, the span: the number and the end of the whole frames, the ends of
 * packets, and the reason why the walk stopped. A walk costs as much as a copy, because each step needs the length that
 * the previous step loads. So one walk finds the whole result. Reused for every read; owned by one thread.
 */
public final class RunScan {
    private static final int TEXT_RANGES = 8;

    private final int packetBytes;
    private final int maxBody;

    private ByteBuffer buffer;
    private int offset;
    private int length;

    // The end of packet k, and the number of frames before that end, both from the start of the walk.
    private int[] packetEnd = new int[256];
    private int[] framesBefore = new int[256];
    private int packets;
    private int end;
    private int frames;
    private int stretches;
    private int lastFrame;
    private final boolean notesStretches;
    // The header of stretch k, which is frames with equal ones; then the start of its last frame, and in the upper half
    // the number of frames up to its end, both from the start of the walk. Empty if stretches are not noted.
    private long[] notes = {};
    private int packetStart;
    private int incomplete;
    private CloseReason problem;
    private int problemType;
    private int problemLength;
    private TypeRanges allowed;

    public RunScan(int packetBytes, int maxBody) {
        this(packetBytes, maxBody, false);
    }

    /** @param notesStretches whether each stretch of equal headers is noted, for {@link PacketLog.Keeper} */
    public RunScan(int packetBytes, int maxBody, boolean notesStretches) {
        this.packetBytes = packetBytes;
        this.maxBody = maxBody;
        this.notesStretches = notesStretches;
    }

    public static RunScan unpacked(int maxBody) {
        return new RunScan(Integer.MAX_VALUE, maxBody);
    }

    /**
     * Walks {@code length} bytes from {@code offset}.
     *
     * @param buffer in the machine's own byte order
     * @param open bytes that the log's open packet has already; the first frames may still go into that packet
     */
    public RunScan scan(ByteBuffer buffer, int offset, int length, int open) {
        return scan(buffer, offset, length, open, TypeRanges.ALL);
    }

    /**
     * Walks bytes of a publisher that may send some types only.
     *
     * @param types the permitted types, checked once for each stretch of equal headers; not for {@link TypeRanges#ALL}
     */
    public RunScan scan(ByteBuffer buffer, int offset, int length, int open, TypeRanges types) {
        reset(buffer, offset, length, open);
        allowed = types;
        boolean checked = types != TypeRanges.ALL;
        stretches = 0;
        int at = 0;
        int count = 0;
        while (length - at >= FrameLayout.HEADER_LENGTH) {
            long header = buffer.getLong(offset + at);
            int type = headerType(header);
            int body = headerLength(header);
            // A negative length is large if unsigned. The types of control frames are the lowest signed numbers.
            if (Integer.compareUnsigned(body, maxBody) > 0 || type <= ControlFrames.LAST) {
                fault(type, body);
                break;
            }
            if (checked && !types.contains(type)) {
                problem = CloseReason.NOT_PERMITTED;
                problemType = type;
                problemLength = body;
                break;
            }
            int frame = FrameLayout.HEADER_LENGTH + body;
            if (frame > length - at) {
                incomplete = frame;
                break;
            }
            // Neighbouring frames are often alike. A step by the length of the previous frame does not wait until the
            // next header is loaded, and is several times as fast.
            int first = at;
            int last = offset + length - frame;
            int next = offset + at + frame;
            while (next <= last && buffer.getLong(next) == header) {
                next += frame;
            }
            at = next - offset;
            count += closePackets(first, at, frame, count);
            if (notesStretches) {
                noteStretch(header, at - frame, count);
            }
            stretches++;
            lastFrame = frame;
        }
        end = at;
        frames = count;
        return this;
    }

    private void reset(ByteBuffer where, int from, int bytes, int open) {
        buffer = where;
        offset = from;
        length = bytes;
        packets = 0;
        problem = null;
        incomplete = 0;
        packetStart = -open;
    }

    /**
     * Returns the result of {@link #scan} for valid frames that all have one length, without a look at them. Their
     * types may differ, so they are looked at if stretches are noted.
     *
     * @param each bytes of a frame
     */
    RunScan splitEqualFrames(ByteBuffer buffer, int offset, int length, int each, int open) {
        reset(buffer, offset, length, open);
        end = length;
        frames = closePackets(0, length, each, 0);
        if (notesStretches) {
            noteEqualLengths(each);
        }
        return this;
    }

    /** The memory that was walked, from {@link #offset} on; in the machine's own byte order. */
    public ByteBuffer buffer() {
        return buffer;
    }

    public int offset() {
        return offset;
    }

    public int rest() {
        return length - end;
    }

    public int lengthOf(int count) {
        int at = offset;
        for (int i = 0; i < count; i++) {
            at += FrameLayout.frameLength(Bytes.bigEndian(buffer.getInt(at + FrameLayout.LENGTH_OFFSET)));
        }
        return at - offset;
    }

    /** Bytes of each frame, if all that was walked is whole frames of one length and type; otherwise 0. */
    public int commonLength() {
        return stretches == 1 && !isFaulty() && incomplete == 0 ? lastFrame : 0;
    }

    public int wholeBytes() {
        return end;
    }

    public int frames() {
        return frames;
    }

    /** Full length of the incomplete frame after {@link #wholeBytes}, if its header has come; otherwise 0. */
    public int incompleteFrame() {
        return incomplete;
    }

    int packets() {
        return packets;
    }

    int packetEnd(int k) {
        return packetEnd[k];
    }

    int framesBefore(int k) {
        return framesBefore[k];
    }

    /** Stretches of equal headers; only if this scan notes them. */
    public int stretches() {
        return stretches;
    }

    /** The type of a stretch's frames. */
    public int type(int stretch) {
        return headerType(notes[2 * stretch]);
    }

    /** Bytes of the body of a stretch's frames. */
    public int bodyLength(int stretch) {
        return headerLength(notes[2 * stretch]);
    }

    /** Where the last frame of a stretch starts, from {@link #offset} on. */
    public int lastStart(int stretch) {
        return (int) notes[2 * stretch + 1];
    }

    /** The number of frames from the start of the walk to the end of a stretch. */
    public int framesThrough(int stretch) {
        return (int) (notes[2 * stretch + 1] >>> Integer.SIZE);
    }

    /** Returns whether the frame after {@link #wholeBytes} breaks a rule of messages, as every control frame does. */
    public boolean isFaulty() {
        return problem != null;
    }

    /** The rule that the faulty frame breaks: RESERVED_TYPE for any control frame. Requires {@link #isFaulty}. */
    public CloseReason problem() {
        return problem;
    }

    public int problemType() {
        return problemType;
    }

    /** The body length in the header of the faulty frame. It may be wrong. */
    public int problemLength() {
        return problemLength;
    }

    /** Returns why the walk stopped, with the value and the limit; allocates. */
    public String problemText() {
        if (!isFaulty()) {
            return "does not end with a whole frame";
        }
        String type = ControlFrames.typeName(problemType);
        return switch (problem) {
            case NEGATIVE_LENGTH -> "negative body length " + problemLength + " in a frame of type " + type;
            case OVERSIZED_LENGTH ->
                "body length " + problemLength + " in a frame of type " + type + " is over the limit of " + maxBody
                        + " bytes";
            case NOT_PERMITTED ->
                "type " + problemType + " may not be published: " + allowed.text(TEXT_RANGES) + " may";
            default ->
                "type " + type + " is reserved: " + ControlFrames.typeName(ControlFrames.FIRST) + " to "
                        + ControlFrames.typeName(ControlFrames.LAST) + " cannot be published";
        };
    }

    /**
     * Notes the ends of packets among equal frames from {@code first} to {@code end}; returns the number of these
     * frames.
     */
    private int closePackets(int first, int end, int frame, int count) {
        // A division takes as long as the rest of a step.
        int frames = end - first == frame ? 1 : (end - first) / frame;
        int at = first;
        int done = 0;
        while (end - packetStart > packetBytes) {
            int fit = Math.max(0, packetStart + packetBytes - at) / frame;
            if (fit == 0 && at == packetStart) {
                // A frame larger than a packet is a packet of its own.
                fit = 1;
            }
            at += fit * frame;
            done += fit;
            if (at == end) {
                break;
            }
            close(at, count + done);
            packetStart = at;
        }
        return frames;
    }

    private void close(int at, int count) {
        if (packets == packetEnd.length) {
            packetEnd = Arrays.copyOf(packetEnd, packets * 2);
            framesBefore = Arrays.copyOf(framesBefore, packets * 2);
        }
        packetEnd[packets] = at;
        framesBefore[packets] = count;
        packets++;
    }

    /** Notes the stretches of frames that all have one length. */
    private void noteEqualLengths(int each) {
        stretches = 0;
        int at = 0;
        int count = 0;
        while (at < length) {
            long header = buffer.getLong(offset + at);
            do {
                at += each;
                count++;
            } while (at < length && buffer.getLong(offset + at) == header);
            noteStretch(header, at - each, count);
            stretches++;
        }
    }

    private void noteStretch(long header, int last, int through) {
        if (2 * stretches == notes.length) {
            notes = Arrays.copyOf(notes, Math.max(512, 2 * notes.length));
        }
        notes[2 * stretches] = header;
        notes[2 * stretches + 1] = (long) through << Integer.SIZE | last;
    }

    // A header as it is loaded: in the machine's byte order.
    private static int headerType(long header) {
        return (int) (Bytes.bigEndian(header) >>> Integer.SIZE);
    }

    private static int headerLength(long header) {
        return (int) Bytes.bigEndian(header);
    }

    private void fault(int type, int body) {
        problemType = type;
        problemLength = body;
        if (ControlFrames.isControl(type)) {
            problem = CloseReason.RESERVED_TYPE;
        } else {
            problem = body < 0 ? CloseReason.NEGATIVE_LENGTH : CloseReason.OVERSIZED_LENGTH;
        }
    }
}
