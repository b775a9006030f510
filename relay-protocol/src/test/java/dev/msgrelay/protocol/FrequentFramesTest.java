package dev.msgrelay.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.protocol.Codecs.Ack;
import dev.msgrelay.protocol.Codecs.Gap;
import dev.msgrelay.protocol.Codecs.Ping;
import dev.msgrelay.protocol.Codecs.Pong;
import dev.msgrelay.protocol.Codecs.RetryAfter;
import dev.msgrelay.protocol.Codecs.Sequence;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The frames that are put into a buffer where others lie already. */
class FrequentFramesTest {
    private static final byte FILL = 0x55;

    /** A value, and how long its frame is. */
    record Case(Object value, int frameLength) {}

    static List<Case> cases() {
        return List.of(
                new Case(new Ping(1, 2, 3), PingFrame.FRAME_LENGTH),
                new Case(new Pong(-1), PongFrame.FRAME_LENGTH),
                new Case(new Sequence(5), SequenceFrame.FRAME_LENGTH),
                new Case(new Gap(6, 7, GapReason.SLOW.code()), GapFrame.FRAME_LENGTH),
                new Case(new RetryAfter(300), RetryAfterFrame.FRAME_LENGTH),
                new Case(new Ack(8, 9, false, 0, 0), AckFrame.FRAME_LENGTH),
                new Case(new Ack(8, 9, true, 7, 6), AckFrame.LEVELS_FRAME_LENGTH));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void isPutAtThePositionAndTouchesNothingElse(Case c) {
        byte[] around = new byte[c.frameLength() + 20];
        Arrays.fill(around, FILL);
        ByteBuffer target = ByteBuffer.wrap(around).position(7);

        Codecs.put(c.value(), target);

        assertThat(target.position()).isEqualTo(7 + c.frameLength());
        assertThat(target.limit()).isEqualTo(around.length);
        byte[] frame = Codecs.encode(c.value());
        assertThat(Arrays.copyOfRange(around, 7, target.position())).isEqualTo(frame);
        assertThat(frame).hasSize(c.frameLength());
        for (int i = 0; i < around.length; i++) {
            if (i < 7 || i >= target.position()) {
                assertThat(around[i]).as("byte %d", i).isEqualTo(FILL);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void whereItDoesNotFitNothingIsPut(Case c) {
        for (int room = 0; room < c.frameLength(); room++) {
            byte[] memory = new byte[c.frameLength()];
            ByteBuffer target = ByteBuffer.wrap(memory).limit(room);
            assertThatThrownBy(() -> Codecs.put(c.value(), target)).isInstanceOf(BufferOverflowException.class);
            assertThat(target.position()).isZero();
            assertThat(memory).containsOnly(0);
        }
    }
}
