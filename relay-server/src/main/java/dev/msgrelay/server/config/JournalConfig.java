package dev.msgrelay.server.config;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.server.journal.JournalSettings;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The stream on the disk.
 *
 * @param directory that holds it; null: there is no journal, and nothing outlives the relay
 * @param segmentBytes length of its files: what is dropped at once
 * @param keepBytes the oldest segments are dropped when all of them have more; {@link #UNLIMITED}
 * @param keepTime and those whose newest message is older; null: however old they are
 * @param force what was written is forced to the disk after so long, where nobody waits for it
 * @param failure what is done when it has failed
 */
public record JournalConfig(
        Path directory, int segmentBytes, long keepBytes, Duration keepTime, Duration force, Failure failure) {
    /** What a relay does when its journal has failed. */
    public enum Failure {
        /** It stops: clients go where what they are told is true. */
        EXIT("exit"),
        /** It goes on in memory alone. */
        MEMORY("memory");

        private final String flag;

        Failure(String flag) {
            this.flag = flag;
        }

        /** As it is written behind the option. */
        public String flag() {
            return flag;
        }
    }

    /** Of {@link #keepBytes}: as many as there are. */
    public static final long UNLIMITED = JournalSettings.UNLIMITED;

    public static final int DEFAULT_SEGMENT_BYTES = 128 << 20;

    /**
     * Known before the disk is full: the relay does not start where so much does not fit, and never takes more. A time says
     * nothing of that.
     */
    public static final long DEFAULT_KEEP_BYTES = 10L << 30;

    public static final Duration DEFAULT_FORCE = Duration.ofSeconds(1);

    private static final Duration MOST_TIME = Duration.ofDays(36_500);
    private static final Duration MOST_FORCE = Duration.ofHours(1);

    public JournalConfig {
        LimitsConfig.millisWithin("journal force", force, 1, MOST_FORCE.toMillis());
        if (keepTime != null) {
            LimitsConfig.millisWithin("journal keep", keepTime, 1, MOST_TIME.toMillis());
        }
        settings(segmentBytes, keepBytes, keepTime, force);
        if (keepBytes != UNLIMITED && keepBytes / segmentBytes > JournalSettings.MOST_SEGMENTS) {
            throw new IllegalArgumentException("journal keep " + keepBytes + " is more than "
                    + JournalSettings.MOST_SEGMENTS + " segments of " + segmentBytes + " bytes: longer ones are fewer");
        }
    }

    /** Whether there is one. */
    public boolean on() {
        return directory != null;
    }

    /** As the journal takes it. */
    public JournalSettings settings() {
        return settings(segmentBytes, keepBytes, keepTime, force);
    }

    private static JournalSettings settings(int segmentBytes, long keepBytes, Duration keepTime, Duration force) {
        return new JournalSettings(
                segmentBytes,
                keepBytes,
                keepTime == null ? JournalSettings.UNLIMITED : keepTime.toMillis(),
                force.toNanos());
    }

    /** Nothing that is written at once lies across two segments: what cannot be cut is to leave room for the rest. */
    void checkFor(StreamConfig stream) {
        if (!on()) {
            return;
        }
        int frame = FrameLayout.frameLength(stream.maxBody());
        int longest = Math.max(frame, stream.packetBytes());
        if (longest > segmentBytes / 4 * 3) {
            String what = longest == frame ? "frame (max body " + stream.maxBody() + ")" : "packet";
            throw new IllegalArgumentException("journal segment " + segmentBytes + " is too short: the longest " + what
                    + " has " + longest + " bytes, which may be three quarters of it");
        }
    }
}
