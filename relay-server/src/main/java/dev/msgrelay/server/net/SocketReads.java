package dev.msgrelay.server.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/** Makes a channel read into memory that its {@link Reader} provides, without an allocation or a copy. */
public final class SocketReads extends DefaultMaxMessagesRecvByteBufAllocator {
    /** The owner of the memory. Called on the channel's loop. */
    public interface Reader {
        /** Whether the channel may read again in this cycle of its loop. */
        default boolean mayRead() {
            return true;
        }

        /**
         * Returns the memory for the next read, retained once for that read; null if there is none. The owner then
         * begins to wait for room.
         */
        ByteBuf whereToRead();

        /** Called after a read was refused for lack of memory. The bytes stay in the socket. */
        default void refused() {}

        /** Called after a read that filled its memory. */
        default void readWasFull() {}

        /** Whether all further input is thrown away. */
        boolean isDeaf();

        /** Called at the end of the input. Returns whether the channel closes; if not, the next read asks again. */
        boolean mayEnd();
    }

    /**
     * Ends a read for which there is no memory. Netty begins such a read if the socket was ready before reading was
     * switched off, or has ended since. Netty takes an empty buffer for the end of the input.
     */
    public static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;
        public static final Refused INSTANCE = new Refused();

        private Refused() {
            super("reading is switched off", null, false, false);
        }
    }

    private static final int GUESS_BYTES = 64 << 10;

    private final Reader reader;

    /** @param most largest number of reads of a socket in one cycle, so that other sockets have their turn */
    public SocketReads(Reader reader, int most) {
        super(most);
        this.reader = reader;
    }

    @Override
    @SuppressWarnings("deprecation") // the interface itself requires this deprecated type
    public Handle newHandle() {
        return new MaxMessageHandle() {
            @Override
            public ByteBuf allocate(ByteBufAllocator alloc) {
                ByteBuf memory = reader.whereToRead();
                if (memory == null) {
                    reader.refused();
                    throw Refused.INSTANCE;
                }
                return memory;
            }

            @Override
            public int guess() {
                return GUESS_BYTES;
            }

            @Override
            public void lastBytesRead(int bytes) {
                // Netty's option for half-closed sockets is not used, because NIO's Unix sockets lack it. With epoll,
                // the option also removes the socket from the epoll set, so the rest of a write is never sent.
                super.lastBytesRead(bytes < 0 && !reader.mayEnd() ? 0 : bytes);
            }

            @Override
            public boolean continueReading(UncheckedBooleanSupplier lastReadWasFull) {
                return super.continueReading(lastReadWasFull) && reader.mayRead();
            }

            @Override
            public void readComplete() {
                if (lastBytesRead() > 0 && lastBytesRead() == attemptedBytesRead()) {
                    reader.readWasFull();
                }
            }
        };
    }
}
