package dev.msgrelay.loadgen.lab.senders;

import java.io.IOException;

/** A worker writes one part of fixed size and blocks until the socket has it; then the selector waits for room. */
final class EqualBlocking implements SendAlgorithm {
    private final int part;

    EqualBlocking(int part) {
        this.part = part;
    }

    @Override
    public boolean isBlocking() {
        return true;
    }

    @Override
    public void send(Download download) throws IOException {
        long left = part;
        while (left > 0 && !download.isDone()) {
            left -= download.send(left);
        }
    }
}
