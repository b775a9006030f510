package dev.msgrelay.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The core in a simulated world: see {@link Simulation}, and README.md.
 *
 * <pre>
 *   -Dsim.seed=N       one seed again
 *   -Dsim.runs=N       so many fresh seeds
 *   -Dsim.endless=true fresh seeds until one fails, or somebody ends it
 *   -Dsim.steps=N      steps of one seed
 *   -Dsim.tls=true     TLS in each run but those with a journal, not in each tenth
 *   -Dsim.journal=true a journal in each run, not in each twentieth
 *   -Dsim.trace=WHO    prints the events of clients whose names begin so
 * </pre>
 */
class SimulationTest {
    /** Seeds from 0 on, of which each tenth has TLS, and each twentieth a journal. */
    private static final int RUNS = 20;

    private static final int MANY_RUNS = 400;
    /** As many more as it takes until all that is rare has been seen, and no more than these. */
    private static final int MOST_RUNS = 2000;

    private static final int STEPS = Integer.getInteger("sim.steps", 2_000);

    /** Whatever a connection does: in each of these its channel throws at some seed, at one call or another. */
    private static final List<String> STEPS_OF_CONNECTIONS = List.of(
            "publisher.whereToRead",
            "publisher.channelRead",
            "publisher.channelReadComplete",
            "publisher.granted",
            "publisher.acknowledge",
            "publisher.resume",
            "publisher.tick",
            "subscriber.channelRead",
            "subscriber.send",
            "subscriber.channelWritabilityChanged",
            "subscriber.tick",
            "subscriber.moveTo",
            "relief.relieve");

    /** Only with TLS does a connection end so. */
    private static final Set<CloseReason> ENDS_OF_TLS = EnumSet.of(CloseReason.TLS_FAILED, CloseReason.TLS_KEY_USED_UP);

    /** Otherwise it does not show what a journal leaves behind, nor that publishers go from loop to loop. */
    private static final List<String> OF_LIVES = List.of(
            "crash",
            "damage told",
            "dropped before they came",
            "in order",
            "killed",
            "killed, power lost",
            "openings interrupted",
            "publishers on reader loops",
            "publishers rolled back",
            "replays",
            "starts in the journal",
            "subscribers of an earlier life",
            "subscribers rolled back",
            "torn tails",
            "without journal");

    private static final int RUNS_OF_A_LINE = 1000;

    private final Map<String, Integer> lives = new TreeMap<>();
    private final Map<String, Integer> faultySteps = new TreeMap<>();
    private final Map<CloseReason, Long> closes = new EnumMap<>(CloseReason.class);

    @Test
    @Timeout(value = 1000, unit = TimeUnit.DAYS)
    void whatMustHoldHoldsAfterEachStep() {
        Long seed = Long.getLong("sim.seed");
        long runs = Long.getLong("sim.runs", 0);
        if (seed != null) {
            run(seed);
        } else if (Boolean.getBoolean("sim.endless")) {
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
        for (long next = MANY_RUNS; !sawEverything() && next < MOST_RUNS; next++) {
            run(next);
        }
        assertThat(faultySteps.keySet())
                .as("steps of connections that were made to throw half way: %s", faultySteps)
                .containsAll(STEPS_OF_CONNECTIONS);
        assertThat(closes.keySet()).as("ends with TLS: %s", closes).containsAll(ENDS_OF_TLS);
        assertThat(lives.keySet())
                .as("lives of relays with a journal: %s", lives)
                .containsAll(OF_LIVES);
    }

    private boolean sawEverything() {
        return faultySteps.keySet().containsAll(STEPS_OF_CONNECTIONS)
                && closes.keySet().containsAll(ENDS_OF_TLS)
                && lives.keySet().containsAll(OF_LIVES);
    }

    /** Otherwise no seed would be worth printing. */
    @Test
    void aSeedRepeatsARunExactly() {
        for (long seed = 4; seed < 10; seed++) {
            Simulation first = new Simulation(seed);
            first.run(STEPS);
            Simulation second = new Simulation(seed);
            second.run(STEPS);
            assertThat(second.digest()).as("the digest of seed %d", seed).isEqualTo(first.digest());
        }
    }

    private void runFresh(long runs) {
        runFrom(System.currentTimeMillis() << 20, runs);
    }

    private void runFrom(long first, long runs) {
        long steps = 0;
        for (long seed = first; seed < first + runs; seed++) {
            steps += run(seed);
        }
        System.out.printf("%,d steps of %,d seeds from %d on%n", steps, runs, first);
        System.out.println("steps of connections that were made to throw half way: " + faultySteps);
        System.out.println("lives of relays with a journal: " + lives);
    }

    private long run(long seed) {
        PrintStream stderr = System.err;
        // What is provoked by the thousand is not for people to read. The trace says what was provoked.
        System.setErr(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        try {
            Simulation simulation = new Simulation(seed);
            simulation.run(STEPS);
            simulation.faultySteps().forEach((step, times) -> faultySteps.merge(step, times, Integer::sum));
            simulation.lives().forEach((what, times) -> lives.merge(what, times, Integer::sum));
            simulation.stats().closes().forEach((reason, times) -> closes.merge(reason, times, Long::sum));
            return simulation.steps();
        } finally {
            System.setErr(stderr);
        }
    }
}
