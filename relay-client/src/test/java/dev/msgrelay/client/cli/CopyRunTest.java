package dev.msgrelay.client.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.Gap;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A run of {@code copy} without relays. */
class CopyRunTest {
    /** One read may bring more than --count wants, and a gap behind it. */
    @ParameterizedTest
    @CsvSource({"0, 'copied 0 messages, 0 bytes'", "1, 'copied 0 messages, 0 bytes; missed 10'"})
    void aGapBehindTheLastMessageIsNone(long count, String sum) {
        PrintWriter out = new PrintWriter(new StringWriter());
        EventPrinter events = new EventPrinter(out, out, false, false);
        CopyRun run = new CopyRun(Optional.empty(), count, Duration.ofMinutes(1), events, line -> {});
        run.miss(new Gap(11, 20, Gap.UNEXPLAINED));
        assertThat(run.sum()).isEqualTo(sum);
    }
}
