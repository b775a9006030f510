package dev.msgrelay.loadgen.lab.readers;

import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.lane.LaneSpec;
import java.time.Duration;
import java.util.List;

/**
 * What the experiment can be told.
 *
 * @param body bytes of every message's body
 * @param writeSize bytes of the sender's writes; 0 for whole segments, about 256 KiB
 * @param lanes over which
 * @param required whether it is an error when one of them cannot be had here; otherwise it is left out, and said
 * @param duration of one go
 */
public record ReaderOptions(int body, int writeSize, List<LaneSpec> lanes, boolean required, Duration duration) {
    /** The article's. */
    public static final int BODY = 100;

    public static final int MIN_BODY = NumberedFrames.MIN_BODY;

    /** Both sides keep all bodies in memory. */
    public static final int MAX_BODY = 8_192;

    public static final int MAX_WRITE = 4 << 20;

    /** For a run for the record, or a quick one. */
    public static ReaderOptions defaults(boolean quick) {
        return new ReaderOptions(BODY, 0, defaultLanes(), false, defaultDuration(quick));
    }

    /** The article's three. */
    public static List<LaneSpec> defaultLanes() {
        return List.of(LaneSpec.of(LaneKind.LOOPBACK), LaneSpec.of(LaneKind.GBE_1), LaneSpec.of(LaneKind.GBE_10));
    }

    public static Duration defaultDuration(boolean quick) {
        return quick ? Duration.ofMillis(100) : Duration.ofSeconds(1);
    }
}
