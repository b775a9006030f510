package dev.msgrelay.server.journal.recover;

import dev.msgrelay.server.journal.format.IndexRecord;
import dev.msgrelay.server.journal.format.JournalClock.Step;
import dev.msgrelay.server.journal.format.SegmentHeader;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The machine's clock and its steps, from the records that a recovery walks over. One thread. */
final class FoundClock {
    private static final int MOST_STEPS = 20;

    private final Deque<Step> steps = new ArrayDeque<>();
    private long stepCount;
    private long time;
    // The sum of the steps before the segment's header was written, and the sum since then.
    private long headerSkew;
    private long skew;

    /** Begins a segment. {@code sequence} is that of its first message. */
    void segment(SegmentHeader header, boolean first, long sequence) {
        time = header.timeMillis();
        if (!first) {
            stepped(header.step() - skew, sequence);
        }
        headerSkew += header.step();
        skew = 0;
    }

    /** Takes a record. {@code sequence} is that of the first message after the earlier records. */
    void record(IndexRecord record, long sequence) {
        time = record.timeMillis();
        stepped(record.skew() - skew, sequence);
        skew = record.skew();
    }

    /** Skips the records of a segment. The arguments are from the next segment's header. */
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

    long time() {
        return time;
    }

    /** The sum of the steps since the segment's header, in ms. */
    long skew() {
        return skew;
    }

    /** The sum of the steps from the oldest segment on, in ms. */
    long allSteps() {
        return headerSkew + skew;
    }

    /** The last {@value #MOST_STEPS} steps, in their order. */
    List<Step> steps() {
        return List.copyOf(steps);
    }

    long stepCount() {
        return stepCount;
    }
}
