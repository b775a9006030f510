package dev.msgrelay.loadgen.lab.readers;

import java.nio.ByteBuffer;

/** Where a client's messages go. What it is handed is the client's again when the method returns. */
interface Sink {
    /**
     * A message as arrays.
     *
     * @param type four bytes
     * @param body may be longer than the message
     */
    void message(byte[] type, byte[] body, int length);

    /** A message whose type was read as a number. */
    void message(int type, byte[] body, int length);

    /**
     * A message in the reader's own memory.
     *
     * @param body between position and limit
     */
    void message(int type, ByteBuffer body);
}
