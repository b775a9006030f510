package dev.msgrelay.loadgen.result;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Everything that one shootout gave, or has given so far.
 *
 * @param version of the tool
 * @param started ISO 8601, with the zone
 * @param command the command line, as the tool was called
 * @param sites the machines that took part, the relay's first
 * @param maxRates where rates were searched; the runs of a search are cells of their lane
 */
public record Shootout(
        String version,
        String started,
        List<String> command,
        List<Site> sites,
        List<LaneResult> lanes,
        List<MaxRate> maxRates,
        Ending ending) {
    /** The form of the JSON file. Another form gets another number. */
    public static final String SCHEMA = "relay-shootout/1";

    /**
     * @throws java.time.format.DateTimeParseException {@code started} is no such time
     */
    public Shootout {
        Instant.parse(started);
        command = List.copyOf(command);
        sites = List.copyOf(sites);
        lanes = List.copyOf(lanes);
        maxRates = List.copyOf(maxRates);
    }

    /** No rate was searched. */
    public Shootout(
            String version,
            String started,
            List<String> command,
            List<Site> sites,
            List<LaneResult> lanes,
            Ending ending) {
        this(version, started, command, sites, lanes, List.of(), ending);
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
        return new Shootout(version, started, command, sites, next, maxRates, ending);
    }

    /** The same with another ending. */
    public Shootout with(Ending newEnding) {
        return new Shootout(version, started, command, sites, lanes, maxRates, newEnding);
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
