package dev.msgrelay.loadgen.load;

import dev.msgrelay.protocol.FrameLayout;
import java.nio.ByteBuffer;

/** An endless stream of measured messages, handed out a write at a time. The publisher's thread owns it. */
public interface MessageStream {
    /**
     * What to write next, to be written whole before the next call. Messages that begin in it carry {@code timeNanos}.
     */
    ByteBuffer next(long timeNanos);

    /** The rest of the frame that the last write cut, possibly nothing; the stream is at the end of a frame then. */
    ByteBuffer rest();

    /** The number of the message that begins next: so many have begun since number 0. */
    long nextNumber();

    /** An endless stream of measured messages, so many whole ones to a write. */
    public static final class Batches implements MessageStream {
        private final int publisher;
        private final FrameBatch batch;
        private long nextNumber;

        /**
         * @param publisher id, 0..{@link LoadMessage#MAX_PUBLISHER}
         * @param messages of every write, at least 1
         * @param firstNumber the first message's number
         */
        public Batches(int publisher, SizeTable sizes, int messages, long firstNumber) {
            this.publisher = publisher;
            this.batch = FrameBatch.ofMessages(sizes, messages);
            this.nextNumber = firstNumber;
        }

        @Override
        public ByteBuffer next(long timeNanos) {
            long stamp = LoadMessage.stamp(publisher, nextNumber);
            while (batch.hasRoom(stamp)) {
                batch.add(stamp, timeNanos);
                stamp++;
                nextNumber++;
            }
            return batch.take();
        }

        /** Nothing: no frame is ever cut. */
        @Override
        public ByteBuffer rest() {
            return batch.take();
        }

        @Override
        public long nextNumber() {
            return nextNumber;
        }
    }

    /**
     * An endless stream of measured messages of different sizes, cut into writes of one size wherever that falls. Unlike
     * those of a {@link Packed} its frames are packed anew for each write: where the next one begins depends on the
     * sizes before it.
     *
     * <pre>
     *  memory        | frame | frame  | frame | frame    |
     *  write         |&lt;---------------------------&gt;|
     *  next write    | rest of the last frame | frame | ...
     * </pre>
     */
    public static final class Mixed implements MessageStream {
        private final ByteBuffer memory;
        private final ByteBuffer window;
        private final SizeTable sizes;
        private final int writeSize;
        private final int publisher;

        /** What is packed and not yet handed out: at most the rest of one frame once a write has been cut. */
        private int start;

        private int end;
        private long nextNumber;

        /**
         * @param publisher id, 0..{@link LoadMessage#MAX_PUBLISHER}
         * @param writeSize bytes of every write
         * @param firstNumber the first message's number
         */
        public Mixed(int publisher, SizeTable sizes, int writeSize, long firstNumber) {
            this.publisher = publisher;
            this.sizes = sizes;
            this.writeSize = writeSize;
            this.nextNumber = firstNumber;
            this.memory = ByteBuffer.allocateDirect(Math.addExact(writeSize, FrameLayout.frameLength(sizes.max())));
            this.window = memory.duplicate();
        }

        @Override
        public ByteBuffer next(long timeNanos) {
            if (end - start < writeSize) {
                memory.put(0, window.clear(), start, end - start);
                end -= start;
                start = 0;
                while (end < writeSize) {
                    end += sizes.putFrame(memory, end, LoadMessage.stamp(publisher, nextNumber++), timeNanos);
                }
            }
            window.limit(start + writeSize).position(start);
            start += writeSize;
            return window;
        }

        @Override
        public ByteBuffer rest() {
            window.limit(end).position(start);
            start = end;
            return window;
        }

        @Override
        public long nextNumber() {
            return nextNumber;
        }
    }

    /**
     * An endless stream of measured messages of one size, cut into writes of one size wherever that falls, so that every
     * write is a whole number of the path's segments although no frame divides a segment.
     *
     * <p>The frames lie in memory once and for all; only number and time are patched, and the window that is written slides
     * over them by less than a frame:
     *
     * <pre>
     *  memory    | frame 0 | frame 1 | frame 2 | frame 3 | frame 4 |
     *  write 1   |&lt;------------------------------&gt;|                  cuts frame 3
     *  write 2             +---- the rest of it is sent from frame 0, with the number and time of the cut frame
     *                |&lt;------------------------------&gt;|
     * </pre>
     *
     * Not thread-safe: the publisher's thread owns it.
     */
    public static final class Packed implements MessageStream {
        private final ByteBuffer memory;
        private final ByteBuffer window;
        private final int publisher;
        private final int frameLength;
        private final int writeSize;

        /** Where the next write starts, within frame 0. Above 0: that frame was cut and waits for its rest. */
        private int start;

        private long cutStamp;
        private long cutTime;
        private long nextNumber;

        /**
         * @param publisher id, 0..{@link LoadMessage#MAX_PUBLISHER}
         * @param bodyLength at least {@link LoadMessage#MIN_BODY} bytes
         * @param writeSize bytes of every write
         * @param firstNumber the first message's number
         */
        public Packed(int publisher, int bodyLength, int writeSize, long firstNumber) {
            this.publisher = publisher;
            this.frameLength = FrameLayout.frameLength(bodyLength);
            this.writeSize = writeSize;
            this.nextNumber = firstNumber;
            int frames = (frameLength - 1 + writeSize + frameLength - 1) / frameLength;
            this.memory = ByteBuffer.allocateDirect(Math.multiplyExact(frames, frameLength));
            for (int i = 0; i < frames; i++) {
                int at = i * frameLength;
                FrameLayout.putHeader(memory, at, LoadMessage.TYPE, bodyLength);
                Padding.fill(memory, at + FrameLayout.HEADER_LENGTH, bodyLength);
            }
            this.window = memory.duplicate();
        }

        @Override
        public ByteBuffer next(long timeNanos) {
            final ByteBuffer frames = memory;
            final int end = start + writeSize;
            int body = FrameLayout.HEADER_LENGTH;
            if (start > 0) {
                LoadMessage.put(frames, body, cutStamp, cutTime);
                body += frameLength;
            }
            // The number is the stamp's lower part, so counting the stamp up counts the number up.
            long stamp = LoadMessage.stamp(publisher, nextNumber);
            final long before = stamp;
            final int lastBody = end + FrameLayout.HEADER_LENGTH;
            for (; body < lastBody; body += frameLength) {
                LoadMessage.put(frames, body, stamp, timeNanos);
                stamp++;
            }
            nextNumber += stamp - before;
            window.limit(end).position(start);
            if (stamp != before) {
                cutStamp = stamp - 1;
                cutTime = timeNanos;
            }
            start = end % frameLength;
            return window;
        }

        @Override
        public ByteBuffer rest() {
            if (start == 0) {
                window.limit(0);
            } else {
                LoadMessage.put(memory, FrameLayout.HEADER_LENGTH, cutStamp, cutTime);
                window.limit(frameLength).position(start);
                start = 0;
            }
            return window;
        }

        @Override
        public long nextNumber() {
            return nextNumber;
        }
    }
}
