package dev.msgrelay.server.config;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.server.journal.JournalSettings;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The journal: the stream on the disk.
 *
 * @param directory directory of the journal; null for no journal, so that the stream ends with the relay
 * @param segmentBytes length of a segment's file; the journal drops whole segments
 * @param keepBytes size beyond which the oldest segments are dropped, or {@link #UNLIMITED}
 * @param keepTime age of a segment's newest message beyond which the segment is dropped; null for no limit
 * @param force longest time until written bytes are forced to the disk if no client waits for that
 * @param failure reaction of the relay to a failure of the journal
 */
public record JournalConfig(
        Path directory, int segmentBytes, long keepBytes, Duration keepTime, Duration force, Failure failure) {
    public enum Failure {
        /** The relay stops, so that acknowledgements stay true; clients connect to another relay. */
        EXIT,
        /** The relay continues in memory alone. */
        MEMORY
    }

    public static final long UNLIMITED = JournalSettings.UNLIMITED;

    public JournalConfig {
        Range.checkMillis("journal force", force, 1, Duration.ofHours(1).toMillis());
        if (keepTime != null) {
            Range.checkMillis(
                    "journal keep", keepTime, 1, Duration.ofDays(36_500).toMillis());
        }
        settings(segmentBytes, keepBytes, keepTime, force);
        if (keepBytes != UNLIMITED && keepBytes / segmentBytes > JournalSettings.MOST_SEGMENTS) {
            throw new IllegalArgumentException(
                    "journal keep " + keepBytes + " is more than " + JournalSettings.MOST_SEGMENTS + " segments of "
                            + segmentBytes + " bytes: choose longer segments");
        }
    }

    public boolean on() {
        return directory != null;
    }

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

    /** Checks that the longest write fits a segment, since no frame or packet continues in the next segment. */
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
