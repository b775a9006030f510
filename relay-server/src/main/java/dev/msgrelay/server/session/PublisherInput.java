package dev.msgrelay.server.session;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.server.batch.RunScan;
import dev.msgrelay.server.memory.Bytes;
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
 * Between two runs there may be a control frame, which is {@link PublisherControl}'s. Where the ring has no room, the
 * buffer is kept until it is asked to try again. Owned by its session's thread.
 */
final class PublisherInput {
    /** What became of what was read. */
    enum Outcome {
        /** Its whole frames are in the ring. */
        TAKEN,
        /** The ring has no room: it is kept. */
        KEPT,
        /** It may not be taken before all that was taken of the publisher's name is in the stream: it is kept. */
        EARLY,
        /** A frame broke the rules; those before it are in the ring. */
        BROKEN,
        /** The publisher has said that it closes. */
        ENDED
    }

    private final Intake intake;
    private final PublisherControl control;
    private final FrameRest rest;

    // What the last read went to: a part of the log, the loop's buffer, or the incomplete frame's own.
    private ByteBuffer view;
    private int start;
    // Bytes from start on that have not been looked at, or are kept.
    private int left;
    private boolean inPlace;
    // The loop's buffer, taken for one read, or while something is kept.
    private ReadBuffer reading;
    // Whether they could not be taken yet; there may be none of them.
    private boolean kept;
    private CloseReason problem;
    private String problemText;

    PublisherInput(Intake intake, PublisherControl control, ByteBufAllocator allocator) {
        this.intake = intake;
        this.control = control;
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
        left = end - start;
        return handIn();
    }

    /** Tries again with what is kept. */
    Outcome readKept() {
        kept = false;
        return handIn();
    }

    /** Whether something is kept because it could not be taken yet. */
    boolean keeps() {
        return kept;
    }

    /** What is kept is not taken any more. */
    void dropKept() {
        kept = false;
        giveBackBuffer();
    }

    /** Whether a part of a control frame is there. */
    boolean controlBegun() {
        return !kept && rest.beginsControl();
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

    private Outcome handIn() {
        try {
            Outcome outcome = null;
            // Once, but for control frames and for messages that were sent before.
            while (outcome == null) {
                outcome = step();
            }
            return outcome;
        } catch (FrameException e) {
            rest.keep(view, start, 0, 0);
            problem = e.reason();
            problemText = e.getMessage();
            return Outcome.BROKEN;
        }
    }

    /** Takes a run, and the control frame behind it. Answers null where there may be more. */
    private Outcome step() throws FrameException {
        if (!control.mayTake()) {
            keep();
            return Outcome.EARLY;
        }
        RunScan scan = intake.scan(view, start, left, inPlace);
        boolean controlNext = scan.problem() == CloseReason.RESERVED_TYPE;
        if (inPlace && (controlNext || control.duplicates() > 0)) {
            // Something of it is not for the log.
            moveOut();
        }
        if (scan.frames() > 0 && control.duplicates() > 0) {
            dropDuplicates(scan);
            return null;
        }
        boolean restKept = inPlace;
        if (restKept) {
            // The rest lies where the log goes on: with the offer, others' messages may be written over it.
            keepRest(scan);
        }
        if (scan.end() > 0) {
            control.offering(scan.frames());
            if (!intake.offer(view, start, scan, inPlace, control.owner())) {
                keep();
                return Outcome.KEPT;
            }
            control.accepted(scan.frames());
        }
        if (controlNext) {
            return controlFrame(scan);
        }
        if (!restKept) {
            keepRest(scan);
        }
        if (scan.problem() != null) {
            throw new FrameException(scan.problem(), scan.problemText());
        }
        return Outcome.TAKEN;
    }

    private Outcome controlFrame(RunScan scan) throws FrameException {
        advance(scan.end());
        control.announced(scan);
        int frame = FrameLayout.frameLength(scan.problemLength());
        if (left < frame) {
            rest.keep(view, start, left, frame);
            return Outcome.TAKEN;
        }
        // A slice is big-endian, as control frames are.
        ByteBuffer body = view.slice(start + FrameLayout.HEADER_LENGTH, scan.problemLength());
        advance(frame);
        return control.handle(scan.problemType(), body) ? null : Outcome.ENDED;
    }

    private void advance(int bytes) {
        start += bytes;
        left -= bytes;
    }

    /** Passes over frames at the front of a scan that were accepted before. */
    private void dropDuplicates(RunScan scan) {
        int drop = (int) Math.min(control.duplicates(), scan.frames());
        advance(drop == scan.frames() ? scan.end() : lengthOf(drop));
        control.dropped(drop);
    }

    private int lengthOf(int frames) {
        int at = start;
        for (int i = 0; i < frames; i++) {
            at += FrameLayout.frameLength(Bytes.bigEndian(view.getInt(at + FrameLayout.LENGTH_OFFSET)));
        }
        return at - start;
    }

    private void keepRest(RunScan scan) {
        int after = scan.problem() == null ? left - scan.end() : 0;
        rest.keep(view, start + scan.end(), after, scan.incompleteFrame());
    }

    private void keep() {
        if (inPlace) {
            // The log goes on while this waits.
            moveOut();
        }
        kept = true;
    }

    /** What was read to the end of the log moves out of its way. */
    private void moveOut() {
        ReadBuffer own = loopBuffer();
        own.view().put(0, view, start, left);
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
        if (!kept && intake.sharesBuffers()) {
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
        kept = false;
        giveBack();
        rest.release();
    }
}
