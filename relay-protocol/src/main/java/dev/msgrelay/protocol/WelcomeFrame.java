package dev.msgrelay.protocol;

import java.nio.ByteBuffer;

/**
 * WELCOME, a control frame: the relay's answer to {@link HelloFrame}. On the subscribe port, messages before WELCOME
 * belong to no numbered stream; all messages behind it do. Immutable.
 *
 * <p>{@code docs/protocol.md} has the layout. A WELCOME of older relays ends with the server's name, and so does that
 * of {@link #encode} without a fork and without {@link Features#EPOCHS}. A later version appends fields behind these.
 *
 * @param version version of the protocol that the relay has chosen, 1..65535
 * @param policy policy granted; {@link Policy#RELAY_DEFAULT} for a publisher, and for a subscriber that gets {@link
 *     Policy#REPLAY} as the relay's default: it may not know that policy
 * @param flags {@link #EPOCH_CHANGED}, {@link #ROLLED_BACK}; other bits are ignored
 * @param features features granted, see {@link Features}
 * @param epoch epoch of the relay's stream, never 0: with {@link #EPOCH_CHANGED}, sequences of HELLO's epoch mean
 *     nothing here, except those before {@code fork}
 * @param next for a subscriber the sequence of the first message or GAP behind WELCOME; for a publisher the newest
 *     sequence of the stream plus 1; from 1
 * @param accepted number of the publisher's last message that is in the stream; 0: none, or a subscriber
 * @param maxBody longest body of a message in bytes, 1..64 MiB
 * @param heartbeatMillis interval of the relay's PINGs in milliseconds, 100..3,600,000
 * @param idleTimeoutMillis silence after which a peer is given up, in milliseconds; not below the interval
 * @param maxRanges most ranges of types that the relay takes in one frame, 0..65535
 * @param server name and version of the relay, at most 255 bytes of UTF-8 without control characters
 * @param fork with {@link #ROLLED_BACK}, from 1: for a subscriber the first sequence whose message differs from HELLO's
 *     epoch, for a publisher the first of its numbers that the relay no longer has; otherwise 0
 * @param epochs with {@link Features#EPOCHS} granted: the newest lives of the stream; otherwise none
 * @param intervalMillis with {@link Features#INTERVAL} granted: shortest time between two batches, in milliseconds,
 *     10..3,600,000; otherwise 0
 * @param address with {@link Features#PEER} granted: the client's address as the relay sees it, such as {@code
 *     192.0.2.7:40001}, {@code [2001:db8::1]:40001} or {@code unix}, at most 255 bytes of UTF-8 without control
 *     characters; otherwise empty
 * @param identity with {@link Features#PEER} granted: name of the identity that the relay's access rules have given to
 *     the client, within the same limits, empty without one; otherwise empty
 */
public record WelcomeFrame(
        int version,
        Policy policy,
        int flags,
        int features,
        long epoch,
        long next,
        long accepted,
        int maxBody,
        int heartbeatMillis,
        int idleTimeoutMillis,
        int maxRanges,
        String server,
        long fork,
        Epochs epochs,
        int intervalMillis,
        String address,
        String identity) {
    /** Flag: HELLO's epoch and number do not belong to this relay's stream. */
    public static final int EPOCH_CHANGED = 1;

    /**
     * Flag, beside {@link #EPOCH_CHANGED}: HELLO's epoch is an earlier life of this stream, and its number is behind
     * the fork.
     */
    public static final int ROLLED_BACK = 1 << 1;

    private static final int TYPE = ControlFrames.WELCOME;

    private static final int VERSION_OFFSET = 0;
    private static final int POLICY_OFFSET = VERSION_OFFSET + Short.BYTES;
    private static final int FLAGS_OFFSET = POLICY_OFFSET + Byte.BYTES;
    private static final int FEATURES_OFFSET = FLAGS_OFFSET + Byte.BYTES;
    private static final int EPOCH_OFFSET = FEATURES_OFFSET + Integer.BYTES;
    private static final int NEXT_OFFSET = EPOCH_OFFSET + Long.BYTES;
    private static final int ACCEPTED_OFFSET = NEXT_OFFSET + Long.BYTES;
    private static final int MAX_BODY_OFFSET = ACCEPTED_OFFSET + Long.BYTES;
    private static final int HEARTBEAT_OFFSET = MAX_BODY_OFFSET + Integer.BYTES;
    private static final int IDLE_OFFSET = HEARTBEAT_OFFSET + Integer.BYTES;
    private static final int MAX_RANGES_OFFSET = IDLE_OFFSET + Integer.BYTES;
    private static final int RESERVED_OFFSET = MAX_RANGES_OFFSET + Short.BYTES;
    private static final int SERVER_OFFSET = RESERVED_OFFSET + Short.BYTES;

    /** Bytes of the body without the characters of the server's name, and without fields that were appended later. */
    public static final int MIN_LENGTH = SERVER_OFFSET + Fields.STRING_PREFIX;

    /**
     * Checks every field.
     *
     * @throws IllegalArgumentException a field is wrong; the message names it, its value and the limit
     */
    public WelcomeFrame {
        Fields.within(TYPE, "version", version, 1, 0xFFFF);
        Fields.within(TYPE, "flags", flags, 0, 0xFF);
        if (epoch == 0) {
            throw new Fields.Invalid(TYPE, "epoch is 0, which stands for none");
        }
        Fields.within(TYPE, "next", next, 1, Long.MAX_VALUE);
        Fields.within(TYPE, "accepted", accepted, 0, Long.MAX_VALUE);
        Fields.within(TYPE, "longest body", maxBody, 1, FrameLayout.MAX_MAX_BODY);
        Fields.heartbeat(TYPE, heartbeatMillis);
        Fields.within(TYPE, "idle timeout in milliseconds", idleTimeoutMillis, heartbeatMillis, Integer.MAX_VALUE);
        Fields.within(TYPE, "most ranges", maxRanges, 0, 0xFFFF);
        Fields.utf8(TYPE, "server", server);
        if ((flags & ROLLED_BACK) != 0) {
            Fields.within(TYPE, "fork, needed for ROLLED_BACK,", fork, 1, Long.MAX_VALUE);
        } else {
            Fields.zero(TYPE, "fork", fork, " without ROLLED_BACK");
        }
        if ((features & Features.EPOCHS) == 0) {
            Fields.zero(TYPE, "count of epochs", epochs.rows().size(), " without EPOCHS");
        }
        if ((features & Features.INTERVAL) == 0) {
            Fields.zero(TYPE, "interval", intervalMillis, " without INTERVAL");
        } else {
            Fields.interval(TYPE, intervalMillis);
        }
        int peerLength = Fields.utf8(TYPE, "address", address).length + Fields.utf8(TYPE, "identity", identity).length;
        if ((features & Features.PEER) == 0) {
            Fields.zero(TYPE, "length of address and identity", peerLength, " without PEER");
        }
    }

    /** A WELCOME without epochs, interval, address and identity. */
    public WelcomeFrame(
            int version,
            Policy policy,
            int flags,
            int features,
            long epoch,
            long next,
            long accepted,
            int maxBody,
            int heartbeatMillis,
            int idleTimeoutMillis,
            int maxRanges,
            String server,
            long fork) {
        this(
                version,
                policy,
                flags,
                features,
                epoch,
                next,
                accepted,
                maxBody,
                heartbeatMillis,
                idleTimeoutMillis,
                maxRanges,
                server,
                fork,
                Epochs.NONE,
                0,
                "",
                "");
    }

    /** Whether HELLO's epoch and number do not belong to this relay's stream: the client's sequences are void. */
    public boolean epochChanged() {
        return (flags & EPOCH_CHANGED) != 0;
    }

    /** Whether messages from {@link #fork} on have changed since HELLO's epoch, and those before it have not. */
    public boolean rolledBack() {
        return (flags & ROLLED_BACK) != 0;
    }

    /** Whether a feature is granted, by its bit in {@link Features}. */
    public boolean grants(int feature) {
        return (features & feature) != 0;
    }

    /** A whole WELCOME frame, ready to be written. */
    public ByteBuffer encode() {
        byte[] utf8 = Fields.utf8(TYPE, "server", server);
        boolean withEpochs = grants(Features.EPOCHS);
        boolean withInterval = grants(Features.INTERVAL);
        boolean withPeer = grants(Features.PEER);
        boolean withFork = fork != 0 || withEpochs || withInterval || withPeer;
        byte[] from = Fields.utf8(TYPE, "address", address);
        byte[] who = Fields.utf8(TYPE, "identity", identity);
        int appended = (withFork ? Long.BYTES : 0)
                + (withEpochs ? epochs.length() : 0)
                + (withInterval ? Integer.BYTES : 0)
                + (withPeer ? 2 * Fields.STRING_PREFIX + from.length + who.length : 0);
        ByteBuffer frame = Fields.frame(TYPE, MIN_LENGTH + utf8.length + appended)
                .putShort((short) version)
                .put((byte) policy.code())
                .put((byte) flags)
                .putInt(features)
                .putLong(epoch)
                .putLong(next)
                .putLong(accepted)
                .putInt(maxBody)
                .putInt(heartbeatMillis)
                .putInt(idleTimeoutMillis)
                .putShort((short) maxRanges)
                .putShort((short) 0)
                .putShort((short) utf8.length)
                .put(utf8);
        if (withFork) {
            frame.putLong(fork);
        }
        if (withEpochs) {
            epochs.put(frame);
        }
        if (withInterval) {
            frame.putInt(intervalMillis);
        }
        if (withPeer) {
            frame.putShort((short) from.length).put(from);
            frame.putShort((short) who.length).put(who);
        }
        return frame.flip();
    }

    /**
     * Reads a WELCOME's body, between position and limit; the buffer does not change.
     *
     * @throws FrameException a field is missing or out of range
     */
    public static WelcomeFrame decode(ByteBuffer body) throws FrameException {
        try {
            Fields.length(TYPE, body, MIN_LENGTH);
            int policy = Fields.uint8(body, POLICY_OFFSET);
            Fields.within(TYPE, "policy", policy, Policy.RELAY_DEFAULT.code(), Policy.LATEST.code());
            Fields.reserved(TYPE, RESERVED_OFFSET, Fields.uint16(body, RESERVED_OFFSET));
            String server = Fields.string(TYPE, "server", body, SERVER_OFFSET);
            int forkOffset = SERVER_OFFSET + Fields.STRING_PREFIX + Fields.uint16(body, SERVER_OFFSET);
            long fork = fork(body, forkOffset);
            int features = Fields.int32(body, FEATURES_OFFSET);
            int at = forkOffset + Long.BYTES;
            Epochs epochs = Epochs.NONE;
            if ((features & Features.EPOCHS) != 0) {
                epochs = Epochs.decode(body, at);
                at += epochs.length();
            }
            int interval = 0;
            if ((features & Features.INTERVAL) != 0) {
                Fields.room(TYPE, "interval", body, at, Integer.BYTES);
                interval = Fields.int32(body, at);
                at += Integer.BYTES;
            }
            String address = "";
            String identity = "";
            if ((features & Features.PEER) != 0) {
                address = Fields.string(TYPE, "address", body, at);
                at += Fields.STRING_PREFIX + Fields.uint16(body, at);
                identity = Fields.string(TYPE, "identity", body, at);
            }
            return new WelcomeFrame(
                    Fields.uint16(body, VERSION_OFFSET),
                    Policy.ofCode(policy),
                    Fields.uint8(body, FLAGS_OFFSET),
                    features,
                    Fields.int64(body, EPOCH_OFFSET),
                    Fields.int64(body, NEXT_OFFSET),
                    Fields.int64(body, ACCEPTED_OFFSET),
                    Fields.int32(body, MAX_BODY_OFFSET),
                    Fields.int32(body, HEARTBEAT_OFFSET),
                    Fields.int32(body, IDLE_OFFSET),
                    Fields.uint16(body, MAX_RANGES_OFFSET),
                    server,
                    fork,
                    epochs,
                    interval,
                    address,
                    identity);
        } catch (Fields.Invalid e) {
            throw e.malformed();
        }
    }

    private static long fork(ByteBuffer body, int offset) {
        if (body.remaining() == offset) {
            return 0;
        }
        Fields.room(TYPE, "fork", body, offset, Long.BYTES);
        return Fields.int64(body, offset);
    }
}
