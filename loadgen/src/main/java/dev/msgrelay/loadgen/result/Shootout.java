package dev.msgrelay.loadgen.result;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Everything that one shootout gave, or has given so far.
 *
 * @param sites the machines that took part, the relay's first
 * @param maxRates where rates were searched; the runs of a search are cells of their lane
 * @param notes what a reader has to know beside the runs, one line each: measured ceilings, baselines, how exact latencies
 *     are
 */
public record Shootout(
        Origin origin,
        List<Site> sites,
        List<LaneResult> lanes,
        List<MaxRate> maxRates,
        List<String> notes,
        Ending ending) {
    /** The form of the JSON file. Another form gets another number. */
    public static final String SCHEMA = "relay-shootout/1";

    /**
     * What is known before the first run.
     *
     * @param version of the tool
     * @param started ISO 8601, with the zone
     * @param command the command line, as the tool was called
     */
    public record Origin(String version, String started, List<String> command) {
        /**
         * @throws java.time.format.DateTimeParseException {@code started} is no such time
         */
        public Origin {
            Instant.parse(started);
            command = List.copyOf(command);
        }
    }

    public Shootout {
        sites = List.copyOf(sites);
        lanes = List.copyOf(lanes);
        maxRates = List.copyOf(maxRates);
        notes = List.copyOf(notes);
    }

    /** No rate was searched, and nothing is to be said beside the runs. */
    public Shootout(Origin origin, List<Site> sites, List<LaneResult> lanes, Ending ending) {
        this(origin, sites, lanes, List.of(), List.of(), ending);
    }

    /**
     * The same with one run more, in the lane's cell of these parameters, which is there or comes last.
     *
     * @throws IllegalArgumentException there is no lane of this name
     */
    public Shootout with(String lane, Cell cell, RunRecord run) {
        return with(lane(lane)
                .orElseThrow(() -> new IllegalArgumentException("no lane '" + lane + "'"))
                .with(cell, run));
    }

    /** The same with this lane, in the place of the one of its name or as the last. */
    public Shootout with(LaneResult lane) {
        List<LaneResult> next = new ArrayList<>(lanes);
        if (lane(lane.name()).isPresent()) {
            next.replaceAll(one -> one.name().equals(lane.name()) ? lane : one);
        } else {
            next.add(lane);
        }
        return new Shootout(origin, sites, next, maxRates, notes, ending);
    }

    /** The same with another ending. */
    public Shootout with(Ending newEnding) {
        return new Shootout(origin, sites, lanes, maxRates, notes, newEnding);
    }

    /** How many runs there are. */
    public int runs() {
        return lanes.stream()
                .flatMap(lane -> lane.cells().stream())
                .mapToInt(cell -> cell.runs().size())
                .sum();
    }

    /** The lane of this name. */
    public Optional<LaneResult> lane(String name) {
        return lanes.stream().filter(lane -> lane.name().equals(name)).findFirst();
    }
}
