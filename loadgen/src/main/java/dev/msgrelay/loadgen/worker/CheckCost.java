package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.load.FrameBatch;
import dev.msgrelay.loadgen.load.LoadMessage;
import dev.msgrelay.loadgen.load.MessageCheck;
import dev.msgrelay.loadgen.load.SizeTable;
import dev.msgrelay.loadgen.load.TypeChoice;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.TypeRanges;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/** What it costs this process to check a message, measured in memory by the code that has just checked a run. */
final class CheckCost {
    /** On a machine that is busy, the compiler takes a while too. */
    private static final int LEAST_PASSES = 50;

    private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private CheckCost() {}

    /** Nanoseconds a message, in the shortest of all passes: nobody was in its way. */
    static double nanosPerMessage(SizeTable sizes) {
        FrameBatch batch = FrameBatch.ofBytes(sizes);
        TypeChoice all = new TypeChoice(sizes, TypeRanges.ALL);
        long messages = 0;
        while (batch.hasRoom(LoadMessage.stamp(0, messages))) {
            batch.add(LoadMessage.stamp(0, messages), messages);
            messages++;
        }
        ByteBuffer frames = batch.take();
        long start = System.nanoTime();
        long shortest = Long.MAX_VALUE;
        for (int pass = 0; pass < LEAST_PASSES || System.nanoTime() - start < LEAST_NANOS; pass++) {
            shortest = Math.min(shortest, nanos(frames, new MessageCheck(1, sizes, all)));
        }
        return (double) shortest / messages;
    }

    private static long nanos(ByteBuffer frames, MessageCheck check) {
        ByteBuffer body = frames.duplicate();
        long start = System.nanoTime();
        for (int at = 0; at < frames.limit(); ) {
            int next = at + FrameLayout.frameLength(FrameLayout.bodyLength(frames, at));
            check.onMessage(FrameLayout.type(frames, at), body.limit(next).position(at + FrameLayout.HEADER_LENGTH));
            at = next;
        }
        return System.nanoTime() - start;
    }
}
