package dev.msgrelay.client;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.FrameException;

/**
 * How far the messages that a publisher keeps were written, and what number each has. The numbers are found by walking
 * from header to header, so nothing is stored beside the messages themselves. Owned by the publisher's I/O thread.
 *
 * <pre>
 *   | first message kept |   ...   | the one half written | not written      |
 *   ^ first (its number)           ^ boundary   ^ written                      all offsets from here, in bytes
 * </pre>
 */
final class SentFrames {
    private final SendQueue queue;
    private final AckListener onAck;

    private int written;
    private int everWritten;
    private int boundary;
    private long first;
    private long settled;
    private long messagesOfConnection;
    private long bytesOfConnection;

    SentFrames(SendQueue queue, AckListener onAck) {
        this.queue = queue;
        this.onAck = onAck;
    }

    /** Another connection: everything kept is to be written again, but for what is known to be in the stream. */
    void restart() {
        written = everWritten;
        forgetSettled();
        written = 0;
        boundary = 0;
        messagesOfConnection = 0;
        bytesOfConnection = 0;
    }

    /** Bytes kept that this connection has taken. */
    int written() {
        return written;
    }

    void wrote(int bytes) {
        written += bytes;
        everWritten = Math.max(everWritten, written);
        bytesOfConnection += bytes;
        forgetSettled();
    }

    /** Number of the first message that is kept, or of the next one where none is; 0: not known yet. */
    long first() {
        return first;
    }

    /** The first WELCOME tells the numbers. */
    void number(long firstNumber) {
        first = firstNumber;
    }

    /** Bytes from what is written to the next start of a message; 0: nothing is half written. */
    int toBoundary() {
        while (boundary < written) {
            boundary += queue.frameLengthAt(boundary);
        }
        return boundary - written;
    }

    /**
     * ACK: all up to this number are in the stream. If that is new, the listener is told, and then they are forgotten:
     * who waits for that knows that the listener has been told.
     *
     * @throws FrameException it was never sent
     */
    void acknowledged(long number, long sequence) throws FrameException {
        if (number >= first && number > settled) {
            int end = end(number, written, "ACK");
            long messages = number - first + 1;
            onAck.onAck(number, sequence);
            first = number + 1;
            forget(end, messages);
        }
    }

    /**
     * WELCOME: the relay has all up to this number from former connections, and the listener is told if that is new. The
     * relay counts this connection's messages from HELLO's number on all the same: they are forgotten when they are
     * written once more.
     *
     * @throws FrameException it was never sent
     */
    void accepted(long number) throws FrameException {
        if (number >= first && number > settled) {
            end(number, everWritten, "WELCOME");
            acceptedBefore(number);
        }
    }

    /**
     * The first WELCOME of a publisher that keeps its numbers itself: the relay has all up to this number of a former
     * one. They are forgotten as they are written, like those above; some of them may not have been published yet.
     */
    void acceptedBefore(long number) {
        settled = number;
        onAck.onAck(number, 0);
    }

    /** Without acknowledgements: forgets every message that is written as a whole. */
    void forgetWritten() {
        long messages = 0;
        // From the first one on: those before it are forgotten already.
        int end = 0;
        int next;
        while (end < written && (next = end + queue.frameLengthAt(end)) <= written) {
            end = next;
            messages++;
        }
        messagesOfConnection += messages;
        forget(end, messages);
    }

    /** Messages that this connection has taken, where they are forgotten as they are written. */
    long messagesOfConnection() {
        return messagesOfConnection;
    }

    /** Bytes that this connection has taken. */
    long bytesOfConnection() {
        return bytesOfConnection;
    }

    private void forgetSettled() {
        if (settled == 0) {
            return;
        }
        long messages = 0;
        int end = 0;
        int next;
        while (first + messages <= settled && (next = end + queue.frameLengthAt(end)) <= written) {
            end = next;
            messages++;
        }
        first += messages;
        forget(end, messages);
    }

    /** Where the message with this number ends. */
    private int end(long number, int limit, String frame) throws FrameException {
        long messages = number - first + 1;
        long walked = 0;
        int end = 0;
        while (walked < messages && end < limit) {
            end += queue.frameLengthAt(end);
            walked++;
        }
        if (walked < messages || end > limit) {
            throw new FrameException(
                    CloseReason.PROTOCOL_ORDER,
                    frame + " speaks of message " + number + ", which was not sent: of those from " + first + " on "
                            + (end > limit ? walked - 1 : walked) + " were");
        }
        return end;
    }

    private void forget(int bytes, long messages) {
        if (bytes > 0) {
            written = Math.max(0, written - bytes);
            everWritten = Math.max(0, everWritten - bytes);
            boundary = Math.max(0, boundary - bytes);
            queue.forget(bytes, messages);
        }
    }
}
