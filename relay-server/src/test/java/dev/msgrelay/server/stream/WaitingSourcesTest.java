package dev.msgrelay.server.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.figures.Stopwatch;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Sources without room wait together and go on together. */
class WaitingSourcesTest {
    private final AtomicLong clock = new AtomicLong();
    private boolean plenty;
    private final WaitingSources waiting = new WaitingSources(() -> plenty, clock::get);
    private final List<String> resumed = new ArrayList<>();

    private WaitingSources.Source source(String name) {
        return () -> resumed.add(name);
    }

    @Test
    void theyGoOnTogetherInTheirOrderOnceThereIsPlenty() {
        waiting.add(source("a"), false);
        waiting.add(source("b"), true);
        assertThat(waiting.any()).isTrue();
        waiting.resumeIfRoom();
        assertThat(resumed).isEmpty();
        plenty = true;
        waiting.resumeIfRoom();
        assertThat(resumed).containsExactly("a", "b");
        assertThat(waiting.any()).isFalse();
        waiting.resumeIfRoom();
        assertThat(resumed).hasSize(2);
    }

    @Test
    void whoLooksAtOnceFindsRoomThatHasComeBackMeanwhile() {
        plenty = true;
        waiting.add(source("a"), false);
        assertThat(resumed).isEmpty();
        waiting.add(source("b"), true);
        assertThat(resumed).containsExactly("a", "b");
    }

    @Test
    void oneThatFindsNoRoomAgainMayWaitAgain() {
        WaitingSources.Source[] again = new WaitingSources.Source[1];
        again[0] = () -> {
            resumed.add("a");
            plenty = false;
            waiting.add(again[0], false);
        };
        waiting.add(again[0], false);
        plenty = true;
        waiting.resumeIfRoom();
        assertThat(waiting.any()).isTrue();
        int before = resumed.size();
        waiting.resumeIfRoom();
        assertThat(resumed).hasSize(before);
    }

    /** The clock may be negative. */
    @Test
    void theTimeInWhichAnybodyWaitsAddsUp() {
        assertThat(waiting.nanos(-200)).isZero();
        clock.set(-100);
        waiting.add(source("a"), false);
        clock.set(-80);
        waiting.add(source("b"), false);
        assertThat(waiting.nanos(-70)).isEqualTo(30);
        plenty = true;
        clock.set(-60);
        waiting.resumeIfRoom();
        assertThat(waiting.nanos(1000)).isEqualTo(40);
        clock.set(1000);
        waiting.add(source("a"), false);
        clock.set(1005);
        waiting.resumeIfRoom();
        assertThat(waiting.nanos(9000)).isEqualTo(45);
    }

    @Test
    void onlyWhatWasBegunEnds() {
        Stopwatch time = new Stopwatch();
        time.stop(2_000);
        assertThat(time.nanos(3_000)).isZero();
        time.start(100);
        time.start(200);
        time.stop(300);
        time.stop(400);
        assertThat(time.nanos(500)).isEqualTo(200);
    }
}
