package dev.msgrelay.loadgen.lane;

/**
 * Whether a lane can be had here.
 *
 * @param reason why not, one line; null where it can
 */
public record LaneStatus(LaneSpec spec, String reason) {
    public boolean possible() {
        return reason == null;
    }
}
