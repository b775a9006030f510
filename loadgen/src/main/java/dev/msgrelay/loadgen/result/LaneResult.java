package dev.msgrelay.loadgen.result;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.lane.Link;
import java.util.List;
import java.util.Locale;

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

    @JsonProperty
    public String label() {
        return emulated ? name + " (emulated)" : name;
    }
}
