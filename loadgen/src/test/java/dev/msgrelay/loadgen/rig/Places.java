package dev.msgrelay.loadgen.rig;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.host.Placement;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.loadgen.result.RunRecord;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Runs whose workers and relays stay from run to run, so that most of them start no JVM. A run takes one place and has
 * it to itself; a place that a run failed at is not used again.
 */
final class Places implements AutoCloseable {
    private final Queue<Place> free = new ConcurrentLinkedQueue<>();

    /** Workers, and the relays that stand beside them. */
    static final class Place implements AutoCloseable {
        private final Children workers = Children.staying(Placement.HERE);
        private final Children relays = new Children();
        private final Map<List<Object>, Contestant.Started> standing = new HashMap<>();

        private Place() throws InterruptedException {}

        Children workers() {
            return workers;
        }

        RunRecord through(Contestant.Started started, Contestant contestant, Load load, Timing timing)
                throws IOException, RunException, InterruptedException {
            return through(started, contestant, load, timing, RunObserver.NONE);
        }

        RunRecord through(
                Contestant.Started started, Contestant contestant, Load load, Timing timing, RunObserver observer)
                throws IOException, RunException, InterruptedException {
            Plan plan = Plan.here("", contestant, load, timing, Rig.OWN);
            return new LoadRun(plan, 1, observer, started, workers).run();
        }

        private Contestant.Started relay(Contestant contestant, Load load)
                throws IOException, RunException, InterruptedException {
            List<Object> how =
                    List.of(contestant, load.transport(), load.clients().tls());
            Contestant.Started relay = standing.get(how);
            if (relay == null) {
                relay = contestant.start(relays, load);
                standing.put(how, relay);
            }
            return relay;
        }

        @Override
        public void close() {
            workers.close();
            relays.close();
        }
    }

    @FunctionalInterface
    interface Work {
        RunRecord run(Place place) throws IOException, RunException, InterruptedException;
    }

    RunRecord at(Work work) throws IOException, RunException, InterruptedException {
        Place place = free.poll();
        if (place == null) {
            place = new Place();
        }
        RunRecord result;
        try {
            result = work.run(place);
        } catch (IOException | RunException | InterruptedException | RuntimeException e) {
            place.close();
            throw e;
        }
        free.add(place);
        return result;
    }

    /** Through a relay that stands there, or a contestant that is started for this run. */
    RunRecord run(Contestant contestant, Load load, Timing timing)
            throws IOException, RunException, InterruptedException {
        return at(place -> {
            if (contestant.stays()) {
                return place.through(place.relay(contestant, load), contestant, load, timing);
            }
            try (Children own = new Children()) {
                return place.through(contestant.start(own, load), contestant, load, timing);
            }
        });
    }

    /**
     * What is wrong with what became of the messages. That none of them fell into the window says something of the
     * machine alone: these windows are short.
     */
    static List<String> faults(RunRecord result) {
        return result.outcome().failures().stream()
                .filter(fault -> !fault.equals(Verdict.EMPTY_WINDOW))
                .toList();
    }

    /** Everything came, and it was something, within the window or not. */
    static void expectClean(RunRecord result) {
        assertThat(faults(result)).isEmpty();
        assertThat(result.correctness().sent()).isPositive();
    }

    @Override
    public void close() {
        // A class whose test is run once more finds none of them.
        for (Place place = free.poll(); place != null; place = free.poll()) {
            place.close();
        }
    }
}
