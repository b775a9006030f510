package dev.msgrelay.client;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.FrameException;

/**
 * The written bytes, and the numbers, of the messages that a publisher keeps. Numbers are found by a walk from header
 * to header, so nothing is stored beside the messages themselves. Owned by the publisher's I/O thread.
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

    /** Starts another connection: all kept messages are to be written again, except those known to be in the stream. */
    void restart() {
        written = everWritten;
        forgetSettled();
        written = 0;
        boundary = 0;
        messagesOfConnection = 0;
        bytesOfConnection = 0;
    }

    /** Kept bytes that this connection has taken. */
    int written() {
        return written;
    }

    void wrote(int bytes) {
        written += bytes;
        everWritten = Math.max(everWritten, written);
        forgetSettled();
    }

    /** Number of the first kept message, or of the next message if none is kept; 0: not known yet. */
    long first() {
        return first;
    }

    /** Sets the number of the first message, from the options or the first WELCOME. */
    void number(long firstNumber) {
        first = firstNumber;
    }

    /** Bytes from the end of written bytes to the next message's start; 0: no message is half written. */
    int toBoundary() {
        while (boundary < written) {
            boundary += queue.frameLengthAt(boundary);
        }
        return boundary - written;
    }

    /**
     * Takes an ACK: the messages up to this number are in the stream. If that is new, the listener is told, and then
     * the messages are forgotten: so a thread that waits for that knows that the listener was told.
     *
     * @throws FrameException that message was never sent
     */
    void acknowledged(long number, long sequence) throws FrameException {
        if (number >= first && number > settled) {
            int end = offsetBehind(number, written, "ACK");
            long messages = number - first + 1;
            onAck.onAck(number, sequence);
            first = number + 1;
            forget(end, messages);
        }
    }

    /**
     * Takes the number of WELCOME: the relay has the messages up to this number from former connections; the listener
     * is told if that is new. The relay still counts this connection's messages from HELLO's number on, so they are
     * written once more before they are forgotten.
     *
     * @throws FrameException that message was never sent
     */
    void accepted(long number) throws FrameException {
        if (number >= first && number > settled) {
            offsetBehind(number, everWritten, "WELCOME");
            acceptedBefore(number);
        }
    }

    /**
     * Takes the first WELCOME of a publisher whose caller keeps the numbers: the relay has the messages up to this
     * number from a former publisher. They are forgotten once written, as in {@link #accepted}; some of them may not
     * have been published yet.
     */
    void acceptedBefore(long number) {
        settled = number;
        onAck.onAck(number, 0);
    }

    /** Forgets every message that is written completely; without acknowledgements. */
    void forgetWritten() {
        long messages = 0;
        // The walk starts at the first kept message: messages before it are forgotten already.
        int end = 0;
        int next;
        while (end < written && (next = end + queue.frameLengthAt(end)) <= written) {
            end = next;
            messages++;
        }
        messagesOfConnection += messages;
        bytesOfConnection += end;
        forget(end, messages);
    }

    /** Number of messages that this connection has taken completely, if they are forgotten as they are written. */
    long messagesOfConnection() {
        return messagesOfConnection;
    }

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

    /** Offset of the end of the message with this number. */
    private int offsetBehind(long number, int limit, String frame) throws FrameException {
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
