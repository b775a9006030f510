package dev.msgrelay.server.subscriber;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.SubscribeFrame;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Neighbours;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever a subscriber sends, the relay answers with whole frames, ends the connection once, with ERROR as the last
 * frame if with any, and goes on as if nothing had been.
 */
class RandomInputTest {
    private static final int CASES = 300;

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void mutatedAndRandom(Setting setting) throws Exception {
        Random random = Seeds.random("RandomInputTest " + setting);
        try (TestRelay relay = TestRelay.start(setting);
                Neighbours neighbours = new Neighbours(relay)) {
            int errors = 0;
            for (int i = 0; i < CASES; i++) {
                byte[] input = i % 10 == 0 ? noise(random) : mutated(dialogue(random), random);
                try (PlainPublisher raw = PlainPublisher.connect(relay.subscribe())) {
                    raw.send(ByteBuffer.wrap(input)).halfClose();
                    errors += check(raw.readToEnd(), i) ? 1 : 0;
                }
                long ended = i + 1;
                Await.until(
                        () -> ended + " closed: " + relay.stats(),
                        () -> relay.stats().closes().values().stream()
                                        .mapToLong(Long::longValue)
                                        .sum()
                                == ended);
            }
            // Otherwise it would not have been looked at what is done with them.
            assertThat(errors).isBetween(CASES / 10, CASES - 1);
            neighbours.assertUnaffected();
            assertThat(relay.stats().subscribers()).isEqualTo(1);
        }
    }

    /** Whether there was an ERROR at the end. */
    private static boolean check(ByteBuffer answer, int number) {
        boolean error = false;
        while (answer.hasRemaining()) {
            assertThat(error).as("case %d: frames behind ERROR", number).isFalse();
            assertThat(answer.remaining()).as("case %d: a header", number).isGreaterThanOrEqualTo(8);
            int type = answer.getInt();
            int length = answer.getInt();
            assertThat(length).as("case %d: a body", number).isBetween(0, answer.remaining());
            answer.position(answer.position() + length);
            error = type == ControlFrames.ERROR;
        }
        return error;
    }

    /** What a client may well say. */
    private static byte[] dialogue(Random random) {
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

    private static byte[] mutated(byte[] bytes, Random random) {
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
    private static byte[] noise(Random random) {
        byte[] bytes = new byte[1 + random.nextInt(20_000)];
        random.nextBytes(bytes);
        if (random.nextBoolean() && bytes.length > 8) {
            ByteBuffer.wrap(bytes)
                    .putInt(ControlFrames.FIRST + random.nextInt(256))
                    .putInt(random.nextInt(16_384));
        }
        return bytes;
    }
}
