package dev.msgrelay.loadgen.result;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.lane.Link;
import java.util.List;
import java.util.Locale;

/**
 * The results of one lane.
 *
 * @param name unique within the results
 * @param emulated a link that traffic control plays, not a real one; every label says so
 * @param skipped why nothing was measured on it, or null
 * @param link null where there is none: loopback, Unix sockets; or where nobody tells its speed: to another host
 */
public record LaneResult(
        String name, LaneKind kind, boolean emulated, String skipped, Link link, Places places, List<Cell> cells) {
    /** On which side of the lane's link publishers and subscribers are; the relay is always near. */
    public record Places(Place publishers, Place subscribers) {
        public static final Places NEAR = new Places(Place.NEAR, Place.NEAR);

        /** Whether somebody is across a link, be anything known of it or not. */
        public boolean isApart() {
            return publishers == Place.FAR || subscribers == Place.FAR;
        }
    }

    public enum Place {
        /** With the relay, in processes of their own. */
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

    /** The name for people: "10gbe (emulated)". */
    @JsonProperty
    public String label() {
        return emulated ? name + " (emulated)" : name;
    }
}
