package dev.msgrelay.loadgen.lab.batching;

import java.nio.ByteBuffer;

/** A message as it goes through a queue. */
record Message(byte[] bytes) {
    /** Copies what remains in the frame, which is left as it was. */
    static Message copyOf(ByteBuffer frame) {
        byte[] bytes = new byte[frame.remaining()];
        frame.get(frame.position(), bytes);
        return new Message(bytes);
    }

    int size() {
        return bytes.length;
    }
}
