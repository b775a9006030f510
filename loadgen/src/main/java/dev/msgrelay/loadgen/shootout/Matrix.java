package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.load.BodySizes;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Every combination of these values is a cell. No list is empty.
 *
 * @param bursts see {@link LoadPoint#burst}; a burst is of a schedule alone, so at full speed it is left out
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

    /** All of them, each once; what is named last varies first. */
    public List<LoadPoint> points() {
        List<LoadPoint> points = new ArrayList<>();
        for (BodySizes body : bodies) {
            for (int publisher : publishers) {
                for (int subscriber : subscribers) {
                    for (int batch : batches) {
                        paced(points, new LoadPoint(body, publisher, subscriber, batch, 0, 1));
                    }
                }
            }
        }
        return points.stream().distinct().toList();
    }

    private void paced(List<LoadPoint> points, LoadPoint fullSpeed) {
        for (int rate : rates) {
            for (int burst : bursts) {
                points.add(
                        rate == 0
                                ? fullSpeed
                                : new LoadPoint(
                                        fullSpeed.body(),
                                        fullSpeed.publishers(),
                                        fullSpeed.subscribers(),
                                        fullSpeed.batch(),
                                        rate,
                                        burst));
            }
        }
    }
}
