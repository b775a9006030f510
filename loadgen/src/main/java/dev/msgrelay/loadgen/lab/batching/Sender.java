package dev.msgrelay.loadgen.lab.batching;

import java.io.IOException;
import java.nio.ByteBuffer;

/** One of the ways from many threads to one device. */
interface Sender extends AutoCloseable {
    /** Where one producer thread hands over its messages. */
    @FunctionalInterface
    interface Outlet {
        /**
         * Hands over one message; waits where there is no room.
         *
         * @param frame one whole frame between position and limit; the caller's again when this returns
         */
        void send(ByteBuffer frame) throws IOException, InterruptedException;
    }

    /** An outlet for one more producer thread. */
    Outlet newOutlet();

    /** Sends what has been handed over, and ends. Called after the producers have ended. */
    @Override
    void close() throws IOException;
}
