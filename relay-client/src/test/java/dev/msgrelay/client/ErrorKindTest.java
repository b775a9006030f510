package dev.msgrelay.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.FrameException;
import java.io.IOException;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ErrorKindTest {
    /** The codes that clients/SPEC.md calls fatal. */
    private static final Set<Integer> FATAL = Set.of(4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29);

    @ParameterizedTest
    @EnumSource(CloseReason.class)
    void eachCodeIsSortedAsForEveryLanguage(CloseReason reason) {
        ErrorKind expected = FATAL.contains(reason.code()) ? ErrorKind.FATAL : ErrorKind.RETRY;
        RelayErrorException error = new RelayErrorException(reason.code(), "");
        assertThat(ErrorKind.of(error)).isSameAs(expected);
        assertThat(ErrorKind.of(new PublishException("3 messages are left", 3, error)))
                .isSameAs(expected);
    }

    @Test
    void codesOfLaterRelaysMayPass() {
        assertThat(ErrorKind.of(new RelayErrorException(0, ""))).isSameAs(ErrorKind.RETRY);
        assertThat(ErrorKind.of(new RelayErrorException(4711, ""))).isSameAs(ErrorKind.RETRY);
    }

    @Test
    void endsWithoutACode() {
        assertThat(ErrorKind.of(new IOException("reset"))).isSameAs(ErrorKind.RETRY);
        assertThat(ErrorKind.of(new PublishException("not in time", 1, null))).isSameAs(ErrorKind.RETRY);
        assertThat(ErrorKind.of(new RelayUnsuitableException("no HELLO"))).isSameAs(ErrorKind.FATAL);
        assertThat(ErrorKind.of(new FrameException(CloseReason.MALFORMED_CONTROL, "")))
                .isSameAs(ErrorKind.RETRY);
        assertThat(ErrorKind.of(new FrameException(CloseReason.OVERSIZED_LENGTH, "")))
                .isSameAs(ErrorKind.FATAL);
    }

    @Test
    void brokenRulesAreTheCallers() {
        assertThat(ErrorKind.of(new IllegalArgumentException("type -2147483648 is reserved")))
                .isSameAs(ErrorKind.YOURS);
        assertThat(ErrorKind.of(new IllegalStateException("closed"))).isSameAs(ErrorKind.YOURS);
    }
}
