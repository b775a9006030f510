package dev.msgrelay.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Epochs;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.WelcomeFrame;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StreamPositionTest {
    private static final long EPOCH = 42;
    private static final long OTHER = 43;

    private final List<Gap> gaps = new ArrayList<>();

    @Test
    void takesTheFirstWelcomeAsItComes() throws Exception {
        StreamPosition position = position(0, 0);
        position.welcome(welcome(EPOCH, 100), false, true, false);
        assertThat(position.message()).isEqualTo(100);
        assertThat(position.message()).isEqualTo(101);
        assertThat(position.next()).isEqualTo(102);
        assertThat(position.epoch()).isEqualTo(EPOCH);
    }

    @Test
    void aSequenceOfAnyEpochIsOfTheOneThatThereIs() throws Exception {
        StreamPosition position = position(0, 7);
        assertThat(position.isOther(welcome(EPOCH, 7))).isFalse();
        position.welcome(welcome(EPOCH, 7), false, true, false);
        assertThat(position.next()).isEqualTo(7);
    }

    @Test
    void aWelcomeThatSkipsIsDoubtedOnceThenToldAlsoWithAFilter() throws Exception {
        StreamPosition position = position(EPOCH, 7);
        assertThatThrownBy(() -> position.welcome(welcome(EPOCH, 10), true, true, false))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining("WELCOME")
                .hasMessageContaining("jumps from message 7 to 10");
        assertThat(position.next()).as("still wanted").isEqualTo(7);
        assertThat(gaps).isEmpty();
        position.welcome(welcome(EPOCH, 10), true, true, false);
        assertThat(gaps).containsExactly(new Gap(7, 9, Gap.UNEXPLAINED));
        assertThat(position.next()).isEqualTo(10);
    }

    /** Behind the last one they would be negative. */
    @Test
    void numbersDoNotWrap() {
        for (long last : new long[] {Long.MAX_VALUE - 1, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> {
                        StreamPosition position = position(0, 0);
                        position.welcome(welcome(EPOCH, last), false, true, false);
                        assertThat(position.message()).isPositive();
                        assertThat(position.message()).isPositive();
                        assertThat(position.next()).isPositive();
                    })
                    .isInstanceOf(FrameException.class);
            assertThatThrownBy(() -> {
                        StreamPosition position = position(EPOCH, 7);
                        position.welcome(welcome(EPOCH, 7), true, true, false);
                        position.leftOut(ControlFrames.SEQUENCE, last);
                        assertThat(position.message()).isPositive();
                        assertThat(position.message()).isPositive();
                        assertThat(position.next()).isPositive();
                    })
                    .isInstanceOf(FrameException.class);
        }
    }

    @Test
    void aWelcomeThatGoesBackIsAFault() {
        StreamPosition position = position(EPOCH, 7);
        assertThatThrownBy(() -> position.welcome(welcome(EPOCH, 6), false, true, false))
                .hasMessageContaining("goes back from message 7 to 6");
    }

    @Test
    void theNumbersOfAnotherEpochMeanNothing() throws Exception {
        StreamPosition position = position(EPOCH, 1000);
        assertThat(position.isOther(welcome(OTHER, 1, WelcomeFrame.EPOCH_CHANGED)))
                .isTrue();
        position.welcome(welcome(OTHER, 1, WelcomeFrame.EPOCH_CHANGED), false, true, false);
        assertThat(position.message()).isEqualTo(1);
        assertThat(gaps).isEmpty();
    }

    /** A relay with a journal was started anew, and had all that came before. */
    @Test
    void inAnotherLifeOfTheStreamTheNumbersGoOn() throws Exception {
        StreamPosition position = position(EPOCH, 1000);
        assertThat(position.isOther(welcome(OTHER, 1000))).isFalse();
        position.welcome(welcome(OTHER, 1000), false, true, false);
        assertThat(position.message()).isEqualTo(1000);
        assertThat(position.epoch()).isEqualTo(OTHER);
        assertThat(gaps).isEmpty();
    }

    @Test
    void withAFilterWhatLiesBetweenWasLeftOutWithoutOneItIsMissing() throws Exception {
        StreamPosition position = position(EPOCH, 1);
        position.welcome(welcome(EPOCH, 1), true, true, false);
        position.leftOut(ControlFrames.SEQUENCE, 5);
        position.leftOut(ControlFrames.PING, 9);
        position.gap(12, 14, GapReason.SLOW.code());
        assertThat(position.next()).isEqualTo(15);
        assertThat(gaps).containsExactly(new Gap(12, 14, GapReason.SLOW.code()));

        position.filtered(false);
        position.leftOut(ControlFrames.PING, 15);
        assertThatThrownBy(() -> position.leftOut(ControlFrames.PING, 16))
                .hasMessageContaining("PING (0x80000004) jumps from message 15 to 16");
    }

    /** Another jump elsewhere is doubted anew. */
    @Test
    void eachJumpIsDoubtedForItself() throws Exception {
        StreamPosition position = position(EPOCH, 1);
        position.welcome(welcome(EPOCH, 1), false, true, false);
        assertThatThrownBy(() -> position.leftOut(ControlFrames.PING, 3)).isInstanceOf(FrameException.class);
        position.welcome(welcome(EPOCH, 1), false, true, false);
        assertThat(position.message()).as("it came after all").isEqualTo(1);
        assertThatThrownBy(() -> position.leftOut(ControlFrames.PING, 3)).isInstanceOf(FrameException.class);
        position.welcome(welcome(EPOCH, 2), false, true, false);
        position.leftOut(ControlFrames.PING, 3);
        assertThat(gaps).containsExactly(new Gap(2, 2, Gap.UNEXPLAINED));
        assertThat(gaps.get(0).text()).isEqualTo("missed message 2: the relay does not say why");
    }

    private StreamPosition position(long epoch, long next) {
        return new StreamPosition(epoch, Epochs.NONE, next, true, gaps::add);
    }

    private static WelcomeFrame welcome(long epoch, long next) {
        return welcome(epoch, next, 0);
    }

    private static WelcomeFrame welcome(long epoch, long next, int flags) {
        return new WelcomeFrame(1, Policy.SKIP, flags, 0, epoch, next, 0, 1 << 20, 1000, 3000, 1024, "", 0);
    }
}
