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
 */
public record Matrix(List<BodySizes> bodies, List<Integer> publishers, List<Integer> subscribers, List<Integer> rates) {
    public Matrix {
        bodies = List.copyOf(bodies);
        publishers = List.copyOf(publishers);
        subscribers = List.copyOf(subscribers);
        rates = List.copyOf(rates);
    }

    /** How many combinations there are at most; they need not be made to be counted. */
    public long size() {
        return Stream.of(bodies, publishers, subscribers, rates)
                .mapToLong(List::size)
                .reduce(1, Math::multiplyExact);
    }

    /** All of them, each once; what is named last varies first. Over TCP: it is the lane that says otherwise. */
    public List<Load> loads() {
        List<Load> loads = new ArrayList<>();
        for (BodySizes body : bodies) {
            for (int publisher : publishers) {
                for (int subscriber : subscribers) {
                    for (int rate : rates) {
                        loads.add(new Load(
                                publisher,
                                new Load.Audience(subscriber, Check.FULL, Policy.BACKPRESSURE, SlowReaders.NONE),
                                new Load.Content(body, 1),
                                rate,
                                false,
                                Clients.RAW));
                    }
                }
            }
        }
        return loads.stream().distinct().toList();
    }
}
