package dev.msgrelay.server.harness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.SubscribeFrame;
import dev.msgrelay.protocol.TypeRanges;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Random and mutated input for both ports: all that a connection sends. */
public final class MalformedInputs {
    private final Random random;
    private final List<Vectors> vectors = Vectors.named(name -> true);

    public MalformedInputs(Random random) {
        this.random = random;
    }

    /** What a subscriber might send: noise one time in ten, else a damaged dialogue. */
    public byte[] toSubscribePort() {
        return random.nextInt(10) == 0 ? noise() : mutated(dialogue());
    }

    /** What a publisher might send: a HELLO perhaps, then messages, control frames and noise, some of them damaged. */
    public byte[] toPublishPort() {
        Frames frames = new Frames();
        if (random.nextInt(3) > 0) {
            frames.raw(Hello.acks("fuzz-" + random.nextInt(3), 0).bytes());
        }
        for (int parts = random.nextInt(6); parts >= 0; parts--) {
            byte[] part =
                    switch (random.nextInt(5)) {
                        case 0 -> randomBytes();
                        case 1 ->
                            new Frames()
                                    .frame(random.nextInt(1000), random.nextInt(3000))
                                    .bytes();
                        case 2 -> Hello.ping(random.nextLong());
                        default ->
                            vectors.get(random.nextInt(vectors.size())).bytes().clone();
                    };
            if (random.nextInt(3) == 0) {
                for (int i = random.nextInt(4); i >= 0; i--) {
                    part[random.nextInt(part.length)] = (byte) random.nextInt();
                }
            }
            frames.raw(random.nextInt(8) == 0 ? Arrays.copyOf(part, random.nextInt(part.length)) : part);
        }
        return frames.bytes();
    }

    private byte[] randomBytes() {
        byte[] bytes = new byte[1 + random.nextInt(200)];
        random.nextBytes(bytes);
        return bytes;
    }

    private byte[] dialogue() {
        Frames frames = new Frames()
                .raw(HelloFrame.subscriber()
                        .features(Features.SEQUENCES)
                        .fromEarliest()
                        .types(TypeRanges.of(1, 9, 20, 29))
                        .name("random")
                        .build()
                        .encode()
                        .array());
        for (int i = random.nextInt(4); i > 0; i--) {
            frames.raw(new SubscribeFrame(i, TypeRanges.of(5, 7 * i)).encode().array());
            frames.header(ControlFrames.PING, 24).raw(new byte[24]);
            frames.header(ControlFrames.PONG, 8).raw(new byte[8]);
        }
        return frames.bytes();
    }

    private byte[] mutated(byte[] bytes) {
        byte[] result = bytes.clone();
        switch (random.nextInt(4)) {
            case 0 -> result[random.nextInt(result.length)] = (byte) random.nextInt();
            case 1 -> result[random.nextInt(result.length)] ^= (byte) (1 << random.nextInt(8));
            case 2 -> result = Arrays.copyOf(result, random.nextInt(result.length));
            default -> {
                // A piece of it a second time, somewhere.
                int from = random.nextInt(result.length);
                int to = from + random.nextInt(result.length - from);
                result = new Frames()
                        .raw(Arrays.copyOf(result, to))
                        .raw(Arrays.copyOfRange(result, from, result.length))
                        .bytes();
            }
        }
        return result;
    }

    /** Bytes, half of them behind the start of a control frame. */
    private byte[] noise() {
        byte[] bytes = new byte[1 + random.nextInt(20_000)];
        random.nextBytes(bytes);
        if (random.nextBoolean() && bytes.length > 8) {
            ByteBuffer.wrap(bytes)
                    .putInt(ControlFrames.FIRST + random.nextInt(256))
                    .putInt(random.nextInt(16_384));
        }
        return bytes;
    }

    public enum End {
        ERROR,
        /** Between two frames, without ERROR. */
        WHOLE,
        /** Within a message: who reads too late is cut off. */
        CUT
    }

    /** How a relay's whole answer ends; fails where it goes on behind ERROR, or where a control frame is cut. */
    public static End endOf(ByteBuffer answer, int number) {
        boolean error = false;
        while (answer.hasRemaining()) {
            assertThat(error).as("case %d: frames behind ERROR", number).isFalse();
            if (answer.remaining() < FrameLayout.HEADER_LENGTH) {
                return End.CUT;
            }
            int type = answer.getInt();
            int length = answer.getInt();
            assertThat(length).as("case %d: a length", number).isNotNegative();
            if (length > answer.remaining()) {
                assertThat(ControlFrames.isControl(type))
                        .as("case %d: a part of a control frame", number)
                        .isFalse();
                return End.CUT;
            }
            answer.position(answer.position() + length);
            error = type == ControlFrames.ERROR;
        }
        return error ? End.ERROR : End.WHOLE;
    }
}
