package dev.msgrelay.client.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a subscriber starts, and how far it is. */
class CatchUpTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private CatchUp catchUp(boolean json) {
        return new CatchUp(new PrintWriter(out, true), new PrintWriter(err, true), json);
    }

    private static long seconds(long s) {
        return TimeUnit.SECONDS.toNanos(s);
    }

    @Test
    void tellsEveryTwoSecondsHowLongItTakes() {
        CatchUp way = catchUp(false);
        way.update(0, 0, 0);
        way.update(1, 0, 0);
        way.update(1, 1000, 0);
        way.update(100, 1000, seconds(1));
        assertThat(err.toString()).isEmpty();
        way.update(201, 1000, seconds(2));
        assertThat(err.toString()).contains("at message 200 of 1,000 (20 %), about 8s to go");
        // As many were published as it has got.
        way.update(401, 1400, seconds(4));
        assertThat(err.toString()).contains("at message 400 of 1,400 (28 %), comes no nearer to the newest");
        way.update(1401, 1400, seconds(5));
        assertThat(err.toString()).endsWith("caught up at message 1,400" + System.lineSeparator());
        way.update(1501, 1500, seconds(9));
        assertThat(err.toString().lines()).hasSize(3);
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void whatIsShortIsNotTold() {
        CatchUp way = catchUp(false);
        way.update(1, 1000, 0);
        way.update(1001, 1000, seconds(1));
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void asJson() {
        CatchUp way = catchUp(true);
        way.update(1, 1000, 0);
        way.update(501, 1000, seconds(2));
        assertThat(out.toString())
                .isEqualToIgnoringNewLines(
                        "{\"event\":\"catchUp\",\"next\":501,\"head\":1000,\"percent\":50,\"leftMillis\":2001}");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void whereToStart() {
        assertThat(Start.parse("live").time()).isEmpty();
        assertThat(Start.parse("earliest").time()).isEmpty();
        assertThat(Start.parse("4711").sequence()).isEqualTo(4711);
        assertThat(Start.parse("2026-11-23T05:30:00Z").time()).contains(Instant.parse("2026-11-23T05:30:00Z"));
        assertThat(Start.parse("2026-11-23T05:30:00+01:00").time()).contains(Instant.parse("2026-11-23T04:30:00Z"));
        assertThat(Start.parse("2026-11-23T05:30:00").time()).isPresent();
        assertThat(Start.parse("15m").time().orElseThrow())
                .isBetween(
                        Instant.now().minus(Duration.ofMinutes(16)),
                        Instant.now().minus(Duration.ofMinutes(15)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0",
                "-1",
                "99999999999999999999",
                "yesterday",
                "2026-11-23",
                "T",
                "99999d",
                "1960-01-01T00:00:00Z"
            })
    void noPlaceToStart(String text) {
        assertThatThrownBy(() -> Start.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + text + "' is neither live");
    }
}
