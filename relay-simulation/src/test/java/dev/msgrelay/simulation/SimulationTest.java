package dev.msgrelay.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.testing.ThisMachine;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The core in a simulated world: see {@link Simulation}, and README.md, which lists the options. */
class SimulationTest {
    /** Seeds from 0 on, of which each tenth has TLS, and each twentieth a journal. */
    private static final int RUNS = 20;

    private static final int MANY_RUNS = 400;
    /** As many more as it takes until all that is rare has been seen, and no more than these. */
    private static final int MOST_RUNS = 2000;
    /** In its run a move of a subscriber to another loop throws, which none of those up to {@link #MOST_RUNS} has. */
    private static final long OF_A_MOVE = 2184;

    private static final int STEPS = (int) ThisMachine.setting("sim.steps", 2_000);

    /**
     * Events that the tagged test must see: steps of connections in which a channel throws, ends that only TLS has,
     * what a journal leaves behind, publishers that move from loop to loop, and sleeping loops that are looked at.
     */
    private static final Set<String> RARE = Set.of("""
            publisher.whereToRead; publisher.channelRead; publisher.channelReadComplete; publisher.granted
            publisher.acknowledge; publisher.resume; publisher.tick
            subscriber.channelRead; subscriber.send; subscriber.channelWritabilityChanged; subscriber.tick
            subscriber.moveTo; relief.relieve
            TLS_FAILED; TLS_KEY_USED_UP
            crash; in order; killed; killed, power lost; openings interrupted; torn tails; without journal
            damage told; dropped before they came; replays; starts in the journal
            subscribers of an earlier life; subscribers rolled back; publishers rolled back
            starts with the state; states complete; states not whole; conflated; conflated, not whole
            intervals
            publishers on reader loops; sleeps looked at without a journal
            """.split("[;\n] ?"));

    private static final int RUNS_OF_A_LINE = 1000;

    private final Map<String, Integer> seen = new TreeMap<>();

    @Test
    @Timeout(value = 1000, unit = TimeUnit.DAYS)
    void whatMustHoldHoldsAfterEachStep() {
        Long seed = ThisMachine.number("sim.seed");
        long runs = ThisMachine.setting("sim.runs", 0);
        if (seed != null) {
            run(seed);
        } else if (ThisMachine.isSet("sim.endless")) {
            while (true) {
                runFresh(RUNS_OF_A_LINE);
            }
        } else if (runs > 0) {
            runFresh(runs);
        } else {
            runFrom(0, RUNS);
        }
    }

    /** So many that what is rare happens, too: otherwise they would not show what they say. */
    @Tag("thorough")
    @Test
    @Timeout(value = 1000, unit = TimeUnit.DAYS)
    void whatIsRareHoldsToo() {
        runFrom(0, MANY_RUNS);
        run(OF_A_MOVE);
        for (long next = MANY_RUNS; !seen.keySet().containsAll(RARE) && next < MOST_RUNS; next++) {
            run(next);
        }
        assertThat(seen.keySet()).as("%s", seen).containsAll(RARE);
    }

    /** Otherwise no seed would be worth printing. */
    @Test
    void aSeedRepeatsARunExactly() {
        for (long seed = 4; seed < 10; seed++) {
            long digest = run(seed).world.digest();
            assertThat(run(seed).world.digest())
                    .as("the digest of seed %d", seed)
                    .isEqualTo(digest);
        }
    }

    private void runFresh(long runs) {
        runFrom(System.currentTimeMillis() << 20, runs);
    }

    private void runFrom(long first, long runs) {
        long steps = 0;
        for (long seed = first; seed < first + runs; seed++) {
            steps += run(seed).world.step;
        }
        System.out.printf(Locale.ROOT, "%,d steps of %,d seeds from %d on%n", steps, runs, first);
        System.out.println("steps made to throw half way, ends, lives of relays with a journal: " + seen);
    }

    private Simulation run(long seed) {
        PrintStream stderr = System.err;
        // What is provoked by the thousand is not for people to read. The trace says what was provoked.
        System.setErr(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        try {
            Simulation simulation = new Simulation(seed);
            simulation.run(STEPS);
            simulation.world.seen.forEach((what, times) -> seen.merge(what, times, Integer::sum));
            return simulation;
        } finally {
            System.setErr(stderr);
        }
    }
}
