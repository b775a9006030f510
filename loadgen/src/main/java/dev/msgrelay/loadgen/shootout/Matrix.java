package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.load.BodySizes;
import dev.msgrelay.loadgen.load.Check;
import dev.msgrelay.loadgen.run.Clients;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.SlowReaders;
import dev.msgrelay.protocol.Policy;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Every combination of these values is a cell. No list is empty.
 *
 * @param bursts messages that are meant for the same moment; a burst is of a schedule alone, so at full speed it is left out
 */
public record Matrix(
        List<BodySizes> bodies,
        List<Integer> publishers,
        List<Integer> subscribers,
        List<Integer> batches,
        List<Integer> rates,
        List<Integer> bursts) {
    public Matrix {
        bodies = List.copyOf(bodies);
        publishers = List.copyOf(publishers);
        subscribers = List.copyOf(subscribers);
        batches = List.copyOf(batches);
        rates = List.copyOf(rates);
        bursts = List.copyOf(bursts);
    }

    /** How many combinations there are at most; they need not be made to be counted. */
    public long size() {
        return Stream.of(bodies, publishers, subscribers, batches, rates, bursts)
                .mapToLong(List::size)
                .reduce(1, Math::multiplyExact);
    }

    /**
     * All of them, each once; what is named last varies first. Over TCP: it is the lane that says otherwise.
     *
     * @param realTime whether publishers of a fixed rate may run before others
     */
    public List<Load> loads(boolean realTime) {
        List<Load> loads = new ArrayList<>();
        for (BodySizes body : bodies) {
            for (int publisher : publishers) {
                for (int subscriber : subscribers) {
                    for (int batch : batches) {
                        for (Load.Pace pace : paces(realTime)) {
                            loads.add(new Load(
                                    publisher,
                                    new Load.Audience(subscriber, Check.FULL, Policy.BACKPRESSURE, SlowReaders.NONE),
                                    new Load.Content(body, Load.Content.DEFAULT_SEED),
                                    pace,
                                    new Load.Writes(0, batch),
                                    false,
                                    Clients.RAW));
                        }
                    }
                }
            }
        }
        return loads.stream().distinct().toList();
    }

    private List<Load.Pace> paces(boolean realTime) {
        List<Load.Pace> paces = new ArrayList<>();
        for (int rate : rates) {
            for (int burst : bursts) {
                paces.add(rate == 0 ? new Load.Pace(0, 1, realTime) : new Load.Pace(rate, burst, realTime));
            }
        }
        return paces;
    }
}
