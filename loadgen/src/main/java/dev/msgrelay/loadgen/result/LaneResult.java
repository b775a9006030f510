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
 * @param skipped reason why the lane was not measured, or null
 * @param link null on loopback and Unix sockets, and where its speed is not known
 */
public record LaneResult(
        String name, LaneKind kind, boolean emulated, String skipped, Link link, Places places, List<Cell> cells) {
    /** The sides of the lane's link on which publishers and subscribers are; the relay is always near. */
    public record Places(Place publishers, Place subscribers) {
        public static final Places NEAR = new Places(Place.NEAR, Place.NEAR);

        /** Whether clients are across a link, even one of unknown speed. */
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
