package dev.msgrelay.simulation;

import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.testing.ThisMachine;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** What all parts of one run share: its random numbers, its clock, its last events, and what went wrong first. */
final class World {
    private static final int EVENTS = 64;
    private static final int MOST_MESSAGES = 60_000;

    /** Whose events are printed as they happen; all of them: an empty string. */
    private static final String TRACED = ThisMachine.setting("sim.trace");

    private record Event(long step, String who, String what, long a, long b) {
        @Override
        public String toString() {
            return "  step " + step + "  " + who + "  " + what + ' ' + a + ' ' + b;
        }
    }

    final long seed;
    final MockTicker clock = Ticker.newMockTicker();
    /** Counts of rare events, by name; among them the steps of connections that were made to throw. */
    final Map<String, Integer> seen = new TreeMap<>();

    final List<SimLoop> loops = new ArrayList<>();
    final List<Producer> producers = new ArrayList<>();
    // The one whose thread the run's one thread is just now.
    SimLoop current;
    // The relay of this run, and its clients: the run sets these fields before any client comes.
    RelayConfig config;
    StreamModel model;
    Lives lives;
    // Null: there is none.
    SimJournal journal;
    boolean malicious;
    // How much is published: 1 is little, the log never goes round.
    int volume;
    // Whether faults have ended, and everybody does what is right.
    boolean calm;
    // Whether the relay takes nothing any more.
    boolean draining;
    long step;
    // How often a channel was made to throw what no channel throws.
    int injected;

    private final SplittableRandom random;
    private final ArrayDeque<Event> events = new ArrayDeque<>();
    private int mostStream = 40 << 20;
    private long digest;
    private String failure;
    private Throwable cause;

    World(long seed) {
        this.seed = seed;
        random = new SplittableRandom(seed);
        volume = oneOf(1, 1, 4, 16, 32);
    }

    /** No more than so much is published, and the stream gets no longer than so many bytes, more or less. */
    void atMost(int most, int bytes) {
        volume = Math.min(volume, most);
        mostStream = bytes;
    }

    /** Whether one who has made so many messages makes more. */
    boolean mayPublish(int made) {
        return !calm && model.end < mostStream && made < MOST_MESSAGES;
    }

    SimLoop loopOf(EventLoop io) {
        return loops.stream().filter(l -> l.loop.io() == io).findAny().orElseThrow();
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    int between(int least, int most) {
        return least + random.nextInt(most - least + 1);
    }

    boolean onceIn(int times) {
        return random.nextInt(times) == 0;
    }

    /** Small numbers most of the time, large ones now and then. */
    int skewed(int most) {
        int bits = 32 - Integer.numberOfLeadingZeros(most);
        return Math.min(most, random.nextInt(1 << Math.min(30, 1 + random.nextInt(bits))));
    }

    int oneOf(int... choices) {
        return choices[random.nextInt(choices.length)];
    }

    <T> T oneOf(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    long nextLong() {
        return random.nextLong();
    }

    long now() {
        return clock.nanoTime();
    }

    void advance(long nanos) {
        clock.advance(nanos, TimeUnit.NANOSECONDS);
    }

    void saw(String what, long times) {
        if (times > 0) {
            seen.merge(what, (int) times, Integer::sum);
        }
    }

    void trace(String who, String what, long a, long b) {
        Event event = new Event(step, who, what, a, b);
        digest = digest * 1_000_003 + event.hashCode();
        if (TRACED != null && who.startsWith(TRACED)) {
            System.out.println(event);
        }
        if (events.size() == EVENTS) {
            events.remove();
        }
        events.add(event);
    }

    /** A number that two runs share only if all went the same way. */
    long digest() {
        return digest * 31 + model.end;
    }

    /** Something is not as it must be; the first one counts. Told after the step: within it, Netty would swallow it. */
    void fail(String what, Throwable by) {
        if (failure == null) {
            failure = "seed " + seed + " step " + step + ": " + what;
            cause = by;
        }
    }

    void fail(String what) {
        fail(what, null);
    }

    void check(boolean holds, String what) {
        if (!holds) {
            fail(what);
        }
    }

    boolean failed() {
        return failure != null;
    }

    /** Ends the run if something was not as it must be. */
    void throwIfFailed() {
        if (failure != null) {
            String last = events.stream().map(Event::toString).collect(Collectors.joining("\n"));
            String again = "\nrepeat it with -Dsim.seed=" + seed + "; the last events:\n" + last;
            throw new AssertionError(failure + again, cause);
        }
    }
}
