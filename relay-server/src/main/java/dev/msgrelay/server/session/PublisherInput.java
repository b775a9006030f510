package dev.msgrelay.server.session;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.batch.RunScan;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;

/**
 * What a publisher's socket brings, from where it is read to into the ring: finds the whole frames, checks them and hands
 * them in as one run. An incomplete frame waits for its rest; it is never handed in.
 *
 * <pre>
 *   read buffer (the loop's):  |rest of last read| bytes read now ................. |
 *                              | frame | frame | frame | frame | part of a frame    |
 *                              `------- one run --------------'  `--- kept ---------'
 * </pre>
 *
 * Where the ring has no room, it keeps the buffer until it is asked to try again. Owned by its session's thread.
 */
final class PublisherInput {
    /** What became of what was read. */
    enum Outcome {
        /** Its whole frames are in the ring. */
        TAKEN,
        /** The ring has no room: it is kept. */
        KEPT,
        /** A frame broke the rules; those before it are in the ring. */
        BROKEN
    }

    private final Intake intake;
    private final FrameRest rest;

    // What the last read went to: a part of the log, the loop's buffer, or the incomplete frame's own.
    private ByteBuffer view;
    private int start;
    private boolean inPlace;
    // The loop's buffer, taken for one read, or while something is kept.
    private ReadBuffer reading;
    // Bytes from start on whose whole frames the ring had no room for; 0 while nothing is kept.
    private int keptBytes;
    private CloseReason problem;
    private String problemText;

    PublisherInput(Intake intake, ByteBufAllocator allocator) {
        this.intake = intake;
        this.rest = new FrameRest(allocator);
    }

    /**
     * Where the next read goes. Netty releases what it is given, so it is counted once more.
     *
     * @param most bytes that the read may take
     */
    ByteBuf bufferForRead(int most) {
        start = 0;
        inPlace = false;
        if (rest.isLong()) {
            view = rest.view();
            return rest.window().retain();
        }
        ByteBuf memory = intake.inPlace(rest.bytes(), rest.bytes() + most);
        if (memory == null) {
            memory = loopBuffer().window(rest.bytes() + intake.copiedRead());
            view = reading.view();
        } else {
            inPlace = true;
            start = memory.writerIndex();
            view = intake.inPlaceView();
        }
        rest.putInFront(memory);
        return memory.retain();
    }

    /** Takes what the last read brought, which now ends at {@code end} of the buffer that it was given. */
    Outcome read(int end) {
        return handIn(end - start);
    }

    /** Tries again with what is kept. */
    Outcome readKept() {
        int length = keptBytes;
        keptBytes = 0;
        return handIn(length);
    }

    /** Whether something is kept because the ring had no room. */
    boolean keeps() {
        return keptBytes > 0;
    }

    /** Bytes of an incomplete frame. */
    int restBytes() {
        return rest.bytes();
    }

    /** Its whole length where its header is there, otherwise 0. */
    int restFrame() {
        return rest.frame();
    }

    /** What is wrong, once something was {@link Outcome#BROKEN}. */
    CloseReason problem() {
        return problem;
    }

    /** The same in words. */
    String problemText() {
        return problemText;
    }

    private Outcome handIn(int length) {
        RunScan scan = intake.scan(view, start, length, inPlace);
        boolean restKept = inPlace;
        if (restKept) {
            // The rest lies where the log goes on: with the offer, others' messages may be written over it.
            keepRest(scan, length);
        }
        if (scan.end() > 0 && !intake.offer(view, start, scan, inPlace)) {
            keep(length);
            return Outcome.KEPT;
        }
        if (!restKept) {
            keepRest(scan, length);
        }
        if (scan.problem() != null) {
            problem = scan.problem();
            problemText = scan.problemText();
            return Outcome.BROKEN;
        }
        return Outcome.TAKEN;
    }

    private void keepRest(RunScan scan, int length) {
        int left = scan.problem() == null ? length - scan.end() : 0;
        rest.keep(view, start + scan.end(), left, scan.incompleteFrame());
    }

    private void keep(int length) {
        if (inPlace) {
            // The log goes on while this waits.
            moveOut(length);
        }
        keptBytes = length;
    }

    /** What was read to the end of the log moves out of its way. */
    private void moveOut(int length) {
        ReadBuffer own = loopBuffer();
        own.view().put(0, view, start, length);
        view = own.view();
        start = 0;
        inPlace = false;
    }

    private ReadBuffer loopBuffer() {
        if (reading == null) {
            reading = intake.take();
        }
        return reading;
    }

    /** Gives the loop's buffer back, unless something is kept there, or it may be read to at any time. */
    void giveBackBuffer() {
        if (keptBytes == 0 && intake.sharesBuffers()) {
            giveBack();
        }
    }

    private void giveBack() {
        if (reading != null) {
            intake.giveBack(reading);
            reading = null;
        }
    }

    void release() {
        keptBytes = 0;
        giveBack();
        rest.release();
    }
}
