package dev.msgrelay.server.journal.recover;

import dev.msgrelay.server.journal.format.IndexRecord;
import dev.msgrelay.server.journal.format.JournalClock.Step;
import dev.msgrelay.server.journal.format.SegmentHeader;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The machine's clock as the records tell it that a recovery finds, and the steps that they mark. One thread. */
final class FoundClock {
    /** Steps of the clock that are told. */
    private static final int MOST_STEPS = 20;

    private final Deque<Step> steps = new ArrayDeque<>();
    private long stepCount;
    private long time;
    // Steps up to the segment's header, and since then.
    private long headerSkew;
    private long skew;

    /** A segment begins; {@code sequence} is the number of the next message. */
    void segment(SegmentHeader header, boolean first, long sequence) {
        time = header.timeMillis();
        if (!first) {
            stepped(header.step() - skew, sequence);
        }
        headerSkew += header.step();
        skew = 0;
    }

    /** A record counts; {@code sequence} is the number of the next message before it. */
    void record(IndexRecord record, long sequence) {
        time = record.timeMillis();
        stepped(record.skew() - skew, sequence);
        skew = record.skew();
    }

    /** Goes on to the end of a segment whose records are not looked at. */
    void reach(long timeMillis, long steppedSinceHeader) {
        time = timeMillis;
        skew = steppedSinceHeader;
    }

    private void stepped(long step, long sequence) {
        if (step == 0) {
            return;
        }
        stepCount++;
        if (steps.size() == MOST_STEPS) {
            steps.removeFirst();
        }
        steps.add(new Step(sequence, step, time));
    }

    /** The time of the newest record, in ms since 1970. */
    long time() {
        return time;
    }

    /** Steps since the segment's header, in ms. */
    long skew() {
        return skew;
    }

    /** Steps from the oldest segment on, in ms. */
    long allSteps() {
        return headerSkew + skew;
    }

    /** The last steps, from the oldest of them on. */
    List<Step> steps() {
        return List.copyOf(steps);
    }

    long stepCount() {
        return stepCount;
    }
}
