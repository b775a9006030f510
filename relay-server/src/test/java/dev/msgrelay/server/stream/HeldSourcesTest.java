package dev.msgrelay.server.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.figures.Stopwatch;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Sources without room wait together and go on together. */
class HeldSourcesTest {
    private final AtomicLong clock = new AtomicLong();
    private boolean plenty;
    private final HeldSources held = new HeldSources(() -> plenty, clock::get);
    private final List<String> resumed = new ArrayList<>();

    private HeldSources.Source source(String name) {
        return () -> resumed.add(name);
    }

    @Test
    void theyGoOnTogetherInTheirOrderOnceThereIsPlenty() {
        held.add(source("a"), false);
        held.add(source("b"), true);
        assertThat(held.any()).isTrue();
        held.resumeIfRoom();
        assertThat(resumed).isEmpty();
        plenty = true;
        held.resumeIfRoom();
        assertThat(resumed).containsExactly("a", "b");
        assertThat(held.any()).isFalse();
        held.resumeIfRoom();
        assertThat(resumed).hasSize(2);
    }

    @Test
    void whoLooksAtOnceFindsRoomThatHasComeBackMeanwhile() {
        plenty = true;
        held.add(source("a"), false);
        assertThat(resumed).isEmpty();
        held.add(source("b"), true);
        assertThat(resumed).containsExactly("a", "b");
    }

    @Test
    void oneThatFindsNoRoomAgainMayWaitAgain() {
        HeldSources.Source[] again = new HeldSources.Source[1];
        again[0] = () -> {
            resumed.add("a");
            plenty = false;
            held.add(again[0], false);
        };
        held.add(again[0], false);
        plenty = true;
        held.resumeIfRoom();
        assertThat(held.any()).isTrue();
        int before = resumed.size();
        held.resumeIfRoom();
        assertThat(resumed).hasSize(before);
    }

    /** The clock may be negative. */
    @Test
    void theTimeInWhichAnybodyWaitsAddsUp() {
        assertThat(held.nanos(-200)).isZero();
        clock.set(-100);
        held.add(source("a"), false);
        clock.set(-80);
        held.add(source("b"), false);
        assertThat(held.nanos(-70)).isEqualTo(30);
        plenty = true;
        clock.set(-60);
        held.resumeIfRoom();
        assertThat(held.nanos(1000)).isEqualTo(40);
        clock.set(1000);
        held.add(source("a"), false);
        clock.set(1005);
        held.resumeIfRoom();
        assertThat(held.nanos(9000)).isEqualTo(45);
    }

    /** A second beginning is part of the first, and an end without one is none. */
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
