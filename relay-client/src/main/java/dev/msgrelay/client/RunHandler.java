package dev.msgrelay.client;

import java.nio.ByteBuffer;

/**
 * A {@link MessageHandler} that can take many messages at once, as they came: for a program that hands them on, such as
 * to {@link RelayPublisher#publishRun}, and need not look at each.
 *
 * <pre>{@code
 * class Counts implements RunHandler {
 *     long all;
 *
 *     public boolean onRun(long first, int messages, ByteBuffer frames) {
 *         all += messages;
 *         return true;
 *     }
 *
 *     public void onMessage(long sequence, int type, ByteBuffer body) {
 *         all++;
 *     }
 * }
 * }</pre>
 */
public interface RunHandler extends MessageHandler {
    /**
     * Takes a run of messages, all or none. They count as received as one message does in {@link #onMessage}: if this
     * method throws, none of them is handled.
     *
     * @param first sequence of the first message; those behind it follow without a gap; 0: unknown, as in {@link
     *     #onMessage}
     * @param messages their number, at least 1
     * @param frames whole frames between position and limit, each its type and the length of its body, both 4 bytes,
     *     and its body; in the reader's own memory, big-endian; at most 64 KiB; valid until this method returns
     * @return false: none was taken, and the first of them comes by {@link #onMessage}
     */
    boolean onRun(long first, int messages, ByteBuffer frames);
}
