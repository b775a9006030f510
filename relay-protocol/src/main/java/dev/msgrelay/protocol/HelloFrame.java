package dev.msgrelay.protocol;

import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * HELLO, a control frame: a client's first frame, once. HELLO has the client's role and wishes; the relay answers with
 * {@link WelcomeFrame} or {@link ErrorFrame}. Immutable.
 *
 * <p>{@code docs/protocol.md} has the layout. The name has any length, so the producer id has any offset. A HELLO of
 * older clients ends with the name, and so does that of {@link #encode} without further fields. The token is present
 * with {@link Features#TOKEN} only, the level with {@link Features#LEVELS} only, the interval with {@link
 * Features#INTERVAL} only. A later version appends fields behind them.
 *
 * @param lowestVersion lowest version of the protocol that the client speaks, 1..65535
 * @param highestVersion highest version that the client speaks, not below the lowest
 * @param role the client's role
 * @param policy policy wanted for a slow reader; {@link Policy#RELAY_DEFAULT} for a publisher
 * @param start start of the subscriber's stream; {@link StartFrom#LIVE} for a publisher
 * @param features features wanted, see {@link Features}; {@link Features#ACKS} needs a name for a publisher
 * @param heartbeatMillis interval of PINGs wanted, in milliseconds, 100..3,600,000; 0: the relay's
 * @param epoch the epoch that {@code number} belongs to; 0: any
 * @param number with {@link StartFrom#SEQUENCE} the first sequence wanted, from 1; with {@link StartFrom#TIME}
 *     milliseconds since 1970, from 1; with {@link StartFrom#STATE} the first sequence that the client has not had, 0
 *     and 1: it has had none; for a publisher with {@link Features#ACKS} the number of the first message that
 *     follows on this connection, 0: the one after the last that the relay has accepted; otherwise 0
 * @param types types wanted; {@link TypeRanges#ALL} for a publisher
 * @param name name of the client, at most 255 bytes of UTF-8 without control characters; may be empty
 * @param producer id by which the relay recognises a publisher with {@link Features#ACKS}; otherwise {@link
 *     ProducerId#NONE}
 * @param token secret that proves the client's identity, with {@link Features#TOKEN}; otherwise {@link Token#NONE}
 * @param level with {@link Features#LEVELS}: for a publisher, the level that its messages are to reach; for a
 *     subscriber, the level that messages must have reached; otherwise {@link Level#STREAM}
 * @param intervalMillis with {@link Features#INTERVAL}: shortest time between two batches for a subscriber with {@link
 *     Policy#LATEST}, in milliseconds, 10..3,600,000; 0: none
 */
public record HelloFrame(
        int lowestVersion,
        int highestVersion,
        Role role,
        Policy policy,
        StartFrom start,
        int features,
        int heartbeatMillis,
        long epoch,
        long number,
        TypeRanges types,
        String name,
        ProducerId producer,
        Token token,
        Level level,
        int intervalMillis) {
    private static final int TYPE = ControlFrames.HELLO;

    private static final int LOWEST_OFFSET = 0;
    private static final int HIGHEST_OFFSET = LOWEST_OFFSET + Short.BYTES;
    private static final int ROLE_OFFSET = HIGHEST_OFFSET + Short.BYTES;
    private static final int POLICY_OFFSET = ROLE_OFFSET + Byte.BYTES;
    private static final int START_OFFSET = POLICY_OFFSET + Byte.BYTES;
    private static final int RESERVED8_OFFSET = START_OFFSET + Byte.BYTES;
    private static final int FEATURES_OFFSET = RESERVED8_OFFSET + Byte.BYTES;
    private static final int HEARTBEAT_OFFSET = FEATURES_OFFSET + Integer.BYTES;
    private static final int EPOCH_OFFSET = HEARTBEAT_OFFSET + Integer.BYTES;
    private static final int NUMBER_OFFSET = EPOCH_OFFSET + Long.BYTES;
    private static final int COUNT_OFFSET = NUMBER_OFFSET + Long.BYTES;
    private static final int RESERVED16_OFFSET = COUNT_OFFSET + Short.BYTES;
    private static final int RESERVED32_OFFSET = RESERVED16_OFFSET + Short.BYTES;
    private static final int RANGES_OFFSET = RESERVED32_OFFSET + Integer.BYTES;

    /** Bytes of the body without ranges, without the name's characters, and without fields that were appended later. */
    public static final int MIN_LENGTH = RANGES_OFFSET + Fields.STRING_PREFIX;

    /**
     * Checks every field.
     *
     * @throws IllegalArgumentException a field is wrong; the message names it, its value and the limit
     */
    public HelloFrame {
        Objects.requireNonNull(role, "role");
        Fields.within(TYPE, "lowest version", lowestVersion, 1, 0xFFFF);
        Fields.within(TYPE, "highest version", highestVersion, lowestVersion, 0xFFFF);
        if (heartbeatMillis != 0) {
            Fields.heartbeat(TYPE, heartbeatMillis);
        }
        if (role != Role.PUBLISHER || (features & Features.ACKS) == 0) {
            Fields.zero(TYPE, "producer id", producer.high() | producer.low(), " without ACKS");
        }
        int tokenLength = Fields.utf8(TYPE, "token", token.text()).length;
        if ((features & Features.TOKEN) != 0) {
            Fields.within(TYPE, "length of token, needed for TOKEN,", tokenLength, 1, Protocol.MAX_NAME);
        } else {
            Fields.zero(TYPE, "length of token", tokenLength, " without TOKEN");
        }
        if ((features & Features.LEVELS) == 0) {
            Fields.zero(TYPE, "level", level.code(), " without LEVELS");
        }
        if ((features & Features.INTERVAL) == 0) {
            Fields.zero(TYPE, "interval", intervalMillis, " without INTERVAL");
        } else if (intervalMillis != 0 && role == Role.SUBSCRIBER) {
            Fields.interval(TYPE, intervalMillis);
            Fields.within(
                    TYPE, "policy, needed for an interval,", policy.code(), Policy.LATEST.code(), Policy.LATEST.code());
        }
        int nameLength = Fields.utf8(TYPE, "name", name).length;
        if (role == Role.PUBLISHER) {
            String why = " for a publisher";
            Fields.zero(TYPE, "policy", policy.code(), why);
            Fields.zero(TYPE, "start", start.code(), why);
            Fields.zero(TYPE, "count of ranges", types.count(), why);
            Fields.zero(TYPE, "interval", Integer.toUnsignedLong(intervalMillis), why);
            Fields.within(TYPE, "number", number, 0, Long.MAX_VALUE);
            if ((features & Features.ACKS) != 0) {
                Fields.within(TYPE, "length of name, needed for ACKS,", nameLength, 1, Protocol.MAX_NAME);
            } else {
                Fields.zero(TYPE, "number", number, " without ACKS");
            }
        } else if (start == StartFrom.SEQUENCE || start == StartFrom.TIME) {
            Fields.within(TYPE, "number", number, 1, Long.MAX_VALUE);
        } else if (start == StartFrom.STATE) {
            Fields.within(TYPE, "number", number, 0, Long.MAX_VALUE);
        } else {
            Fields.zero(TYPE, "number", number, " with start " + start.code());
        }
    }

    /** A HELLO of a subscriber that wants every type and new messages only, and leaves other settings to the relay. */
    public static Builder subscriber() {
        return new Builder(Role.SUBSCRIBER);
    }

    /** A HELLO of a publisher without special wishes. */
    public static Builder publisher() {
        return new Builder(Role.PUBLISHER);
    }

    /** Whether a feature is wanted, by its bit in {@link Features}. */
    public boolean wants(int feature) {
        return (features & feature) != 0;
    }

    /** A whole HELLO frame, ready to be written. */
    public ByteBuffer encode() {
        byte[] utf8 = Fields.utf8(TYPE, "name", name);
        byte[] secret = token.utf8();
        int tokenLength = token.isNone() ? 0 : Fields.STRING_PREFIX + secret.length;
        int levelLength = wants(Features.LEVELS) ? Byte.BYTES : 0;
        int intervalLength = wants(Features.INTERVAL) ? Integer.BYTES : 0;
        int conditional = tokenLength + levelLength + intervalLength;
        int producerLength = producer.isNone() && conditional == 0 ? 0 : ProducerId.LENGTH;
        int appended = producerLength + conditional;
        ByteBuffer frame = Fields.frame(TYPE, MIN_LENGTH + types.encodedLength() + utf8.length + appended)
                .putShort((short) lowestVersion)
                .putShort((short) highestVersion)
                .put((byte) role.code())
                .put((byte) policy.code())
                .put((byte) start.code())
                .put((byte) 0)
                .putInt(features)
                .putInt(heartbeatMillis)
                .putLong(epoch)
                .putLong(number)
                .putShort((short) types.count())
                .putShort((short) 0)
                .putInt(0)
                .put(types.encode())
                .putShort((short) utf8.length)
                .put(utf8);
        if (producerLength > 0) {
            frame.putLong(producer.high()).putLong(producer.low());
        }
        if (tokenLength > 0) {
            frame.putShort((short) secret.length).put(secret);
        }
        if (levelLength > 0) {
            frame.put((byte) level.code());
        }
        if (intervalLength > 0) {
            frame.putInt(intervalMillis);
        }
        return frame.flip();
    }

    /**
     * The highest version that a client and this library both speak; 0: there is none. Ask this before {@link #decode}:
     * the frame of another version may look malformed to this one.
     *
     * @throws FrameException the body is too short for the versions, or its highest version is below its lowest
     */
    public static int commonVersion(ByteBuffer body) throws FrameException {
        try {
            Fields.length(TYPE, body, HIGHEST_OFFSET + Short.BYTES);
            int lowest = Fields.uint16(body, LOWEST_OFFSET);
            int highest = Fields.uint16(body, HIGHEST_OFFSET);
            Fields.within(TYPE, "lowest version", lowest, 1, 0xFFFF);
            Fields.within(TYPE, "highest version", highest, lowest, 0xFFFF);
            return Protocol.commonVersion(lowest, highest);
        } catch (Fields.Invalid e) {
            throw e.malformed();
        }
    }

    /**
     * Reads a HELLO's body, between position and limit; the buffer does not change.
     *
     * @throws FrameException a field is missing or out of range
     */
    public static HelloFrame decode(ByteBuffer body) throws FrameException {
        try {
            Fields.length(TYPE, body, RANGES_OFFSET);
            int role = Fields.uint8(body, ROLE_OFFSET);
            int policy = Fields.uint8(body, POLICY_OFFSET);
            int start = Fields.uint8(body, START_OFFSET);
            Fields.within(TYPE, "role", role, Role.SUBSCRIBER.code(), Role.PUBLISHER.code());
            Fields.within(TYPE, "policy", policy, Policy.RELAY_DEFAULT.code(), Policy.LATEST.code());
            Fields.within(TYPE, "start", start, StartFrom.LIVE.code(), StartFrom.STATE.code());
            Fields.reserved(TYPE, RESERVED8_OFFSET, Fields.uint8(body, RESERVED8_OFFSET));
            Fields.reserved(TYPE, RESERVED16_OFFSET, Fields.uint16(body, RESERVED16_OFFSET));
            Fields.reserved(TYPE, RESERVED32_OFFSET, Fields.int32(body, RESERVED32_OFFSET));
            int count = Fields.uint16(body, COUNT_OFFSET);
            TypeRanges types = TypeRanges.decode(TYPE, body, RANGES_OFFSET, count);
            int nameOffset = RANGES_OFFSET + count * TypeRanges.RANGE_LENGTH;
            String name = Fields.string(TYPE, "name", body, nameOffset);
            int producerOffset = nameOffset + Fields.STRING_PREFIX + Fields.uint16(body, nameOffset);
            ProducerId producer = producer(body, producerOffset);
            int features = Fields.int32(body, FEATURES_OFFSET);
            boolean hasToken = (features & Features.TOKEN) != 0;
            int tokenOffset = producerOffset + ProducerId.LENGTH;
            Token token = hasToken ? token(body, tokenOffset) : Token.NONE;
            boolean hasLevel = (features & Features.LEVELS) != 0;
            int levelOffset =
                    hasToken ? tokenOffset + Fields.STRING_PREFIX + Fields.uint16(body, tokenOffset) : tokenOffset;
            Level level = hasLevel ? level(body, levelOffset) : Level.STREAM;
            boolean hasInterval = (features & Features.INTERVAL) != 0;
            int intervalOffset = hasLevel ? levelOffset + Byte.BYTES : levelOffset;
            return new HelloFrame(
                    Fields.uint16(body, LOWEST_OFFSET),
                    Fields.uint16(body, HIGHEST_OFFSET),
                    Role.ofCode(role),
                    Policy.ofCode(policy),
                    StartFrom.ofCode(start),
                    features,
                    Fields.int32(body, HEARTBEAT_OFFSET),
                    Fields.int64(body, EPOCH_OFFSET),
                    Fields.int64(body, NUMBER_OFFSET),
                    types,
                    name,
                    producer,
                    token,
                    level,
                    hasInterval ? interval(body, intervalOffset) : 0);
        } catch (Fields.Invalid e) {
            throw e.malformed();
        }
    }

    private static ProducerId producer(ByteBuffer body, int offset) {
        if (body.remaining() == offset) {
            return ProducerId.NONE;
        }
        Fields.room(TYPE, "producer id", body, offset, ProducerId.LENGTH);
        return new ProducerId(Fields.int64(body, offset), Fields.int64(body, offset + Long.BYTES));
    }

    private static Token token(ByteBuffer body, int offset) {
        String text = Fields.string(TYPE, "token", body, offset);
        return text.isEmpty() ? Token.NONE : Token.of(text);
    }

    private static Level level(ByteBuffer body, int offset) {
        Fields.room(TYPE, "level", body, offset, Byte.BYTES);
        int code = Fields.uint8(body, offset);
        Fields.within(TYPE, "level", code, Level.STREAM.code(), Level.FORCED.code());
        return Level.ofCode(code);
    }

    private static int interval(ByteBuffer body, int offset) {
        Fields.room(TYPE, "interval", body, offset, Integer.BYTES);
        return Fields.int32(body, offset);
    }

    /** Collects the fields of a HELLO; a field that is not set is the relay's choice. */
    public static final class Builder {
        private final Role role;
        private int lowestVersion = Protocol.VERSION;
        private int highestVersion = Protocol.VERSION;
        private Policy policy = Policy.RELAY_DEFAULT;
        private StartFrom start = StartFrom.LIVE;
        private int features;
        private int heartbeatMillis;
        private long epoch;
        private long number;
        private TypeRanges types = TypeRanges.ALL;
        private String name = "";
        private ProducerId producer = ProducerId.NONE;
        private Token token = Token.NONE;
        private Level level = Level.STREAM;
        private int intervalMillis;

        private Builder(Role role) {
            this.role = role;
        }

        public Builder versions(int lowest, int highest) {
            lowestVersion = lowest;
            highestVersion = highest;
            return this;
        }

        public Builder policy(Policy wanted) {
            policy = wanted;
            return this;
        }

        /** Starts the subscriber's stream with the oldest message held. */
        public Builder fromEarliest() {
            start = StartFrom.EARLIEST;
            return this;
        }

        /**
         * Starts the subscriber's stream with message {@code sequence}.
         *
         * @param epochOfSequence epoch of the sequence, from WELCOME; 0: any
         */
        public Builder fromSequence(long epochOfSequence, long sequence) {
            start = StartFrom.SEQUENCE;
            epoch = epochOfSequence;
            number = sequence;
            return this;
        }

        /**
         * Starts the subscriber's stream with the messages that were written to the relay's journal at this time.
         *
         * @param millis milliseconds since 1970, from 1
         */
        public Builder fromTime(long millis) {
            start = StartFrom.TIME;
            number = millis;
            return this;
        }

        /**
         * Starts the subscriber's stream with the newest message of each type.
         *
         * @param epochOfNumber epoch of the number, from WELCOME; 0: any
         * @param next first sequence that the client has not had; 0 and 1: it has had none
         */
        public Builder fromState(long epochOfNumber, long next) {
            start = StartFrom.STATE;
            epoch = epochOfNumber;
            number = next;
            return this;
        }

        /**
         * Sets the number of the publisher's next message.
         *
         * @param epochOfNumber epoch of the number, from WELCOME; 0: any
         */
        public Builder nextNumber(long epochOfNumber, long nextNumber) {
            epoch = epochOfNumber;
            number = nextNumber;
            return this;
        }

        /** Adds features, by their bits in {@link Features}. */
        public Builder features(int wanted) {
            features |= wanted;
            return this;
        }

        public Builder heartbeatMillis(int wanted) {
            heartbeatMillis = wanted;
            return this;
        }

        public Builder types(TypeRanges wanted) {
            types = wanted;
            return this;
        }

        public Builder name(String clientName) {
            name = clientName;
            return this;
        }

        /** Sets the id by which the relay recognises a publisher with {@link Features#ACKS}. */
        public Builder producer(ProducerId id) {
            producer = id;
            return this;
        }

        /** Sets the token, and the feature that goes with it. */
        public Builder token(Token secret) {
            token = secret;
            features = secret.isNone() ? features & ~Features.TOKEN : features | Features.TOKEN;
            return this;
        }

        /** Sets the level, and the feature that goes with it. */
        public Builder level(Level wanted) {
            level = wanted;
            features |= Features.LEVELS;
            return this;
        }

        /** Sets the interval in milliseconds, and the feature that goes with it. */
        public Builder intervalMillis(int wanted) {
            intervalMillis = wanted;
            features |= Features.INTERVAL;
            return this;
        }

        /** @throws IllegalArgumentException a field is wrong; the message names it, its value and the limit */
        public HelloFrame build() {
            return new HelloFrame(
                    lowestVersion,
                    highestVersion,
                    role,
                    policy,
                    start,
                    features,
                    heartbeatMillis,
                    epoch,
                    number,
                    types,
                    name,
                    producer,
                    token,
                    level,
                    intervalMillis);
        }
    }
}
