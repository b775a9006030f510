package dev.msgrelay.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.FrameException;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RetryAdviceTest {
    /** What docs/protocol.md calls "stop". */
    private static final Set<CloseReason> STOP = EnumSet.of(
            CloseReason.NEGATIVE_LENGTH,
            CloseReason.OVERSIZED_LENGTH,
            CloseReason.RESERVED_TYPE,
            CloseReason.UNEXPECTED_INPUT,
            CloseReason.MALFORMED_CONTROL,
            CloseReason.UNSUPPORTED,
            CloseReason.WRONG_ROLE,
            CloseReason.PROTOCOL_ORDER,
            CloseReason.NAME_TAKEN,
            CloseReason.BAD_START,
            CloseReason.TOO_MANY_NAMES,
            CloseReason.MESSAGE_GAP,
            CloseReason.NOT_AUTHENTICATED,
            CloseReason.NOT_PERMITTED);

    /** What it calls "again, slowly". */
    private static final Set<CloseReason> SLOWLY = EnumSet.of(
            CloseReason.TOO_MANY_CONNECTIONS,
            CloseReason.TOO_MANY_PUBLISHERS,
            CloseReason.TOO_MANY_FROM_ADDRESS,
            CloseReason.RATE_LIMITED);

    /** What it calls "again, a few times, slowly". */
    private static final Set<CloseReason> FEW_SLOWLY = EnumSet.of(CloseReason.NAME_HELD);

    /** What it calls "again, a few times". */
    private static final Set<CloseReason> FEW = EnumSet.of(CloseReason.TLS_FAILED);

    @ParameterizedTest
    @EnumSource(CloseReason.class)
    void isTheTableOfTheProtocol(CloseReason reason) {
        RetryAdvice expected = STOP.contains(reason)
                ? RetryAdvice.STOP
                : FEW_SLOWLY.contains(reason)
                        ? RetryAdvice.FEW_SLOWLY
                        : SLOWLY.contains(reason)
                                ? RetryAdvice.SLOWLY
                                : FEW.contains(reason) ? RetryAdvice.FEW : RetryAdvice.AGAIN;
        assertThat(RetryAdvice.of(new RelayErrorException(reason.code(), ""))).isSameAs(expected);
    }

    @Test
    void whatIsNotKnownIsTriedAFewTimes() {
        assertThat(RetryAdvice.ofCode(0)).isSameAs(RetryAdvice.FEW);
        assertThat(RetryAdvice.ofCode(4711)).isSameAs(RetryAdvice.FEW);
    }

    @Test
    void aLostConnectionIsTriedAgainAndAFaultOfTheRelayAFewTimes() {
        assertThat(RetryAdvice.of(new IOException("reset"))).isSameAs(RetryAdvice.AGAIN);
        assertThat(RetryAdvice.of(new FrameException(CloseReason.MALFORMED_CONTROL, "")))
                .isSameAs(RetryAdvice.FEW);
        assertThat(RetryAdvice.of(new FrameException(CloseReason.OVERSIZED_LENGTH, "")))
                .isSameAs(RetryAdvice.STOP);
        assertThat(RetryAdvice.of(new RelayUnsuitableException(""))).isSameAs(RetryAdvice.STOP);
    }
}
