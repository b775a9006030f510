package dev.msgrelay.loadgen.result;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.lane.Link;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The results of one lane.
 *
 * @param emulated whether traffic control emulates the link
 * @param link the link; null for loopback and Unix sockets, or if its speed is unknown
 */
public record LaneResult(
        String name, LaneKind kind, boolean emulated, String skipped, Link link, Places places, List<Cell> cells) {
    /** The ends of the lane's link at which publishers and subscribers are. The relay is always at the near end. */
    public record Places(Place publishers, Place subscribers) {
        public static final Places NEAR = new Places(Place.NEAR, Place.NEAR);

        /** Whether any clients are at the far end of a link, even if its speed is unknown. */
        public boolean isApart() {
            return publishers == Place.FAR || subscribers == Place.FAR;
        }
    }

    public enum Place {
        NEAR,
        FAR;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public static LaneResult skipped(String name, LaneKind kind, boolean emulated, String reason) {
        return new LaneResult(name, kind, emulated, reason, null, Places.NEAR, List.of());
    }

    /** Returns the cell of the plain relay at the same rate as {@code cell}, if it was measured. */
    public Optional<Cell> plainRelayBeside(Cell cell) {
        return cells.stream()
                .filter(one -> one.isPlainRelay()
                        && one.load().isPaced()
                        && one.load().wanted() == cell.load().wanted()
                        && one.load().equals(cell.load().ofPlainRelay()))
                .findFirst();
    }

    /** Returns the latencies at fixed rates beside those of the plain relay; empty if it was not measured in turn. */
    @JsonProperty
    public List<LatencyRatio> latencyRatios() {
        List<LatencyRatio> ratios = new ArrayList<>();
        cells.stream().filter(cell -> !cell.isPlainRelay()).forEach(cell -> plainRelayBeside(cell)
                .ifPresent(plain -> addRatios(ratios, cell, plain)));
        return ratios;
    }

    /** Adds the ratios of the runs of a cell to those of the plain relay in the same round. */
    private static void addRatios(List<LatencyRatio> ratios, Cell cell, Cell plain) {
        for (RunRecord run : cell.runs()) {
            plain.runs().stream()
                    .filter(one -> one.moment().round() == run.moment().round())
                    .findFirst()
                    .ifPresent(one -> LatencyRatio.PERCENTILES.forEach(
                            percentile -> ratios.add(LatencyRatio.of(cell.load().wanted(), percentile, run, one))));
        }
    }

    @JsonProperty
    public String label() {
        return emulated ? name + " (emulated)" : name;
    }
}
