package dev.msgrelay.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.aeron.archive.client.ArchiveException;
import io.aeron.exceptions.TimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.agrona.ErrorHandler;
import org.junit.jupiter.api.Test;

/** The errors that Aeron reports of a node, in virtual time. */
class AeronErrorsTest {
    private final List<Throwable> ends = new ArrayList<>();
    private long now = 1;
    private final AeronErrors errors = new AeronErrors("node 2 of orders", () -> now);
    private final ErrorHandler consensus = errors.ofConsensus(ends::add);

    private static ArchiveException wrongPosition(int correlation) {
        return new ArchiveException(
                "response for correlationId=" + correlation + ", error: replayPosition=30276800 does not point to a"
                        + " valid frame",
                ArchiveException.INVALID_POSITION);
    }

    @Test
    void aNodeEndsThatCannotReadItsOwnLog() {
        for (int i = 1; i < 5; i++) {
            consensus.onError(wrongPosition(i));
            // Its archive reports the same.
            errors.onError(wrongPosition(i));
            assertThat(ends).isEmpty();
        }
        ArchiveException last = wrongPosition(5);
        consensus.onError(last);

        assertThat(ends).singleElement().satisfies(end -> assertThat(end)
                .hasMessageContaining("goes on from its last snapshot when it is started again")
                .hasCause(last));
        consensus.onError(wrongPosition(6));
        assertThat(ends).hasSize(1);
    }

    @Test
    void otherErrorsOfElectionsEndNothing() {
        for (int i = 0; i < 100; i++) {
            consensus.onError(i % 5 == 4 ? new TimeoutException("no catchup progress") : wrongPosition(i));
            consensus.onError(
                    new ArchiveException("error: unknown recording " + i, ArchiveException.UNKNOWN_RECORDING));
        }
        assertThat(ends).isEmpty();
    }

    @Test
    void whatOthersAskOfTheArchiveEndsNothing() {
        for (int i = 0; i < 100; i++) {
            errors.onError(wrongPosition(i));
        }
        assertThat(ends).isEmpty();
        assertThat(errors.cause()).isInstanceOf(ArchiveException.class);
    }

    @Test
    void anErrorIsNewAgainAfterAMinuteWithoutIt() {
        String one = AeronErrors.kind(wrongPosition(1));
        assertThat(errors.add(one)).isTrue();
        for (int i = 2; i < 1_000; i++) {
            now += TimeUnit.SECONDS.toNanos(59);
            assertThat(errors.add(AeronErrors.kind(wrongPosition(i)))).isFalse();
            assertThat(errors.add("another")).isEqualTo(i == 2);
        }
        now += TimeUnit.SECONDS.toNanos(61);
        assertThat(errors.add(one)).isTrue();
    }

    @Test
    void noMoreKindsAreKeptThanAHundred() {
        List<String> kinds =
                IntStream.rangeClosed(1, 101).mapToObj(i -> "x".repeat(i)).toList();
        kinds.forEach(kind -> assertThat(errors.add(kind)).isTrue());

        // The last of them took the place of all before.
        assertThat(errors.add(kinds.get(100))).isFalse();
        assertThat(errors.add(kinds.get(0))).isTrue();
    }

    /** That of a mapped file whose file system is full, which an agent of Aeron's wraps or throws. */
    @Test
    void faultsOfMappedFilesAreKnown() {
        InternalError fault = new InternalError("a fault occurred in an unsafe memory access operation");
        assertThat(AeronErrors.isOfMemory(fault)).isTrue();
        assertThat(AeronErrors.isOfMemory(new IllegalStateException(new RuntimeException(fault))))
                .isTrue();
        assertThat(AeronErrors.isOfMemory(new IllegalStateException("x", new OutOfMemoryError())))
                .isFalse();
        errors.onError(fault);
        assertThat(errors.cause()).isSameAs(fault);
    }
}
